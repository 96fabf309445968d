import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findPayment, type StoredPayment } from '../../store/payments/payments.ts';
import { presentPayment, type PaymentView, type PresentDeps } from './present-payment.ts';

/**
 * A merchant's payment by id, in full.
 * @throws {AppError} PAYMENT_NOT_FOUND, also for another merchant's payment
 */
export async function getPayment(
  deps: PresentDeps & { readonly db: Db },
  at: { merchantId: string; paymentId: string },
): Promise<PaymentView> {
  return presentPayment(deps.db, deps, await findOwnPayment(deps.db, at));
}

/** Reads a payment and checks that it belongs to the merchant. @throws {AppError} PAYMENT_NOT_FOUND */
export async function findOwnPayment(
  db: Db,
  { merchantId, paymentId }: { merchantId: string; paymentId: string },
): Promise<StoredPayment> {
  const row = await findPayment(db, paymentId);
  if (row === undefined || row.merchantId !== merchantId) {
    throw new AppError('PAYMENT_NOT_FOUND', 'No such payment');
  }
  return row;
}

/**
 * A merchant's payment as the target of decisions about money; a superseded payment has none.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE naming the payment that superseded it
 */
export async function findOwnGroupLead(
  db: Db,
  at: { readonly merchantId: string; readonly paymentId: string },
): Promise<StoredPayment> {
  const row = await findOwnPayment(db, at);
  const { supersededBy: lead } = row;
  if (lead === null) return row;
  throw new AppError(
    'INVALID_STATE',
    `This payment was superseded by ${lead}, which has the money of the order`,
    {
      details: [
        { field: 'paymentId', code: 'superseded', message: `was superseded by ${lead}`, existingId: lead },
      ],
    },
  );
}
