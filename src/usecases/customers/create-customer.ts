import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { insertCustomer } from '../../store/catalog/customers.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { CustomerRow } from '../../store/schema/catalog.ts';
import { newId } from '../events/new-id.ts';

/** @throws {AppError} DUPLICATE_ENTRY when the user has a customer with this address, whatever its letter case. */
export async function createCustomer(
  deps: { readonly db: Db; readonly clock: Clock },
  input: { readonly userId: string; readonly email: string; readonly metadata: object },
): Promise<CustomerRow> {
  const now = deps.clock.now();
  const row: CustomerRow = {
    id: newId('cus_'),
    user_id: input.userId,
    email: input.email,
    email_key: emailKey(input.email),
    metadata_json: JSON.stringify(input.metadata),
    created_at: now,
    updated_at: now,
  };
  // The UNIQUE index decides: two requests at once cannot both be first.
  const inserted = await deps.db.transaction((tx) => insertCustomer(tx, row));
  if (!inserted) throw duplicateCustomer();
  return row;
}

export function duplicateCustomer(): AppError {
  return new AppError('DUPLICATE_ENTRY', 'A customer with this email already exists', {
    details: [{ field: 'email', code: 'duplicate', message: 'already exists' }],
  });
}
