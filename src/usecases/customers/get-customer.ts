import { emailKey } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { findCustomerByEmail, findUserCustomer } from '../../store/catalog/customers.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { CustomerRow } from '../../store/schema/catalog.ts';

/**
 * A customer of the account, by id, by email address, or by both.
 * @throws {AppError} CUSTOMER_NOT_FOUND, also for one of another account
 */
export async function getCustomer(
  { db }: { readonly db: Db },
  by: {
    readonly userId: string;
    readonly customerId?: string | undefined;
    readonly email?: string | undefined;
  },
): Promise<CustomerRow> {
  const { userId, customerId, email } = by;
  const key = email === undefined ? undefined : emailKey(email);
  const customer =
    customerId === undefined
      ? await findCustomerByEmail(db, userId, key ?? '')
      : await findUserCustomer(db, userId, customerId);
  if (customer === undefined || (key !== undefined && customer.emailKey !== key)) {
    throw new AppError('CUSTOMER_NOT_FOUND', 'No such customer');
  }
  return customer;
}
