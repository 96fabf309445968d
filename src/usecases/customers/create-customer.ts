import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { findCustomerByEmail, insertCustomer } from '../../store/catalog/customers.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { CustomerRow } from '../../store/schema/catalog.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';

interface NewCustomer {
  readonly userId: string;
  readonly email: string;
  readonly metadata: object;
}

/** @throws {AppError} DUPLICATE_ENTRY when the user has a customer with this address, whatever its letter case. */
export async function createCustomer(
  deps: { readonly db: Db; readonly clock: Clock },
  input: NewCustomer,
  storeResult: StoreResult<CustomerRow> = storeNoResult,
): Promise<CustomerRow> {
  const row = newCustomerRow(deps.clock.now(), input);
  // The UNIQUE index decides: two concurrent requests cannot both be first.
  await deps.db.transaction(async (tx) => {
    if (!(await insertCustomer(tx, row))) throw await duplicateCustomer(tx, input);
    await storeResult(tx, row);
  });
  return row;
}

export function newCustomerRow(now: number, { userId, email, metadata }: NewCustomer): CustomerRow {
  return {
    id: newId('cus_'),
    userId,
    email,
    emailKey: emailKey(email),
    metadataJson: JSON.stringify(metadata),
    createdAt: now,
    updatedAt: now,
  };
}

/** The error that names the customer with an email address. */
export async function duplicateCustomer(
  tx: Tx,
  { userId, email }: { readonly userId: string; readonly email: string },
): Promise<AppError> {
  const existing = await findCustomerByEmail(tx, userId, emailKey(email));
  return new AppError('DUPLICATE_ENTRY', 'A customer with this email already exists', {
    details: [
      {
        field: 'email',
        code: 'duplicate',
        message: 'already exists',
        ...(existing === undefined ? {} : { existingId: existing.id }),
      },
    ],
  });
}
