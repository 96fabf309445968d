import { emailKey } from '../../domain/email.ts';
import { AppError, assertNever } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { findCustomerByEmail, findUserCustomer, insertCustomer } from '../../store/catalog/customers.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { newCustomerRow } from './create-customer.ts';

/** The payer: a customer by id, a possibly new one by email address, or anonymous. */
export type Payer =
  | { readonly kind: 'customer'; readonly customerId: string }
  | { readonly kind: 'email'; readonly email: string; readonly metadata: object }
  | { readonly kind: 'anonymous' };

/**
 * The payer's customer id, null for an anonymous one. An existing customer stays unchanged, because the key
 * of a shop's page must not overwrite metadata.
 * @throws {AppError} CUSTOMER_NOT_FOUND, also for one of another account
 */
export async function findOrCreatePayer(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  payer: Payer,
): Promise<string | null> {
  switch (payer.kind) {
    case 'anonymous':
      return null;
    case 'customer': {
      const customer = await findUserCustomer(tx, userId, payer.customerId);
      if (customer === undefined) throw new AppError('CUSTOMER_NOT_FOUND', 'No such customer');
      return customer.id;
    }
    case 'email': {
      const known = await findCustomerByEmail(tx, userId, emailKey(payer.email));
      if (known !== undefined) return known.id;
      const row = newCustomerRow(clock.now(), { userId, ...payer });
      await insertCustomer(tx, row);
      return row.id;
    }
    default:
      return assertNever(payer);
  }
}
