import { emailKey } from '../../domain/email.ts';
import { isErased } from '../../domain/erasure.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { findUserCustomer, updateCustomer } from '../../store/catalog/customers.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { CustomerRow } from '../../store/schema/catalog.ts';
import { duplicateCustomer } from './create-customer.ts';

export interface EditCustomerInput {
  readonly userId: string;
  readonly customerId: string;
  readonly email?: string | undefined;
  /** Replaces the whole object. */
  readonly metadata?: object | undefined;
}

/** @throws {AppError} CUSTOMER_NOT_FOUND, also for one of another account; DUPLICATE_ENTRY; INVALID_STATE once it was erased. */
export async function editCustomer(
  deps: { readonly db: Db; readonly clock: Clock },
  input: EditCustomerInput,
): Promise<CustomerRow> {
  return deps.db.transaction(async (tx) => {
    const current = await findUserCustomer(tx, input.userId, input.customerId);
    if (current === undefined) throw new AppError('CUSTOMER_NOT_FOUND', 'Customer not found');
    if (isErased(current))
      throw new AppError('INVALID_STATE', 'The personal data of this customer was erased');
    const email = input.email ?? current.email;
    const row = await updateCustomer(tx, current.id, {
      email,
      emailKey: emailKey(email),
      metadataJson: input.metadata === undefined ? current.metadataJson : JSON.stringify(input.metadata),
      updatedAt: deps.clock.now(),
    });
    if (row === null) throw await duplicateCustomer(tx, { userId: input.userId, email });
    return row;
  });
}
