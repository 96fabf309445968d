import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import type { CreatePaymentDeps } from '../payments/index.ts';

/** Invoices are payments, with addresses and quotes of their own. */
export interface SubscriptionDeps extends CreatePaymentDeps {
  readonly secretBox: SecretBox;
}

/** @throws {AppError} SUBSCRIPTION_NOT_FOUND, also for one of another shop */
export async function findOwnSubscription(db: Db, merchantId: string, id: string): Promise<SubscriptionRow> {
  const row = await findSubscription(db, id);
  if (row?.merchantId !== merchantId) throw new AppError('SUBSCRIPTION_NOT_FOUND', 'No such subscription');
  return row;
}

/** @throws {AppError} INVALID_STATE */
export function forbiddenBy({ status }: Pick<SubscriptionRow, 'status'>): AppError {
  return new AppError('INVALID_STATE', `A subscription that is ${status} cannot be changed this way`);
}
