import { AppError } from '../../domain/errors.ts';
import { unfillableReturnUrls } from '../../domain/payment/return-url.ts';
import type { StoredPayment } from '../../store/payments/payments.ts';

/**
 * Rejects ways back to the shop that the order id turns into an invalid address: too long, or `..` in the
 * path.
 * @throws {AppError} VALIDATION_INVALID
 */
export function validateReturnUrls(
  row: Pick<StoredPayment, 'id' | 'orderId' | 'successUrl' | 'returnUrl'>,
): void {
  const urls = { successUrl: row.successUrl, returnUrl: row.returnUrl };
  const fields = unfillableReturnUrls(urls, { paymentId: row.id, orderId: row.orderId });
  if (fields.length === 0) return;
  const message = 'must be a URL of at most 2,048 characters with this order id filled in';
  throw new AppError('VALIDATION_INVALID', `${fields[0]}: ${message}`, {
    details: fields.map((field) => ({ field, code: 'invalid_format', message })),
  });
}
