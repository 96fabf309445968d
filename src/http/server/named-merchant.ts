import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findPaymentLink } from '../../store/catalog/payment-links.ts';
import { findRefundLink } from '../../store/payments/refund-links.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { findSend } from '../../store/sends/sends.ts';
import { findEndpoint } from '../../store/webhooks/webhook-endpoints.ts';
import { merchantOfLog } from '../../store/webhooks/webhook-logs.ts';
import { findReachable } from '../../usecases/people/reach-merchant.ts';
import type { Route } from './route.ts';

interface Named {
  readonly merchantOf: (db: Db, id: string) => Promise<string | undefined>;
  readonly code: ErrorCode;
  readonly message: string;
}

const NAMED: Readonly<Record<NonNullable<Route['namedBy']>, Named>> = {
  paymentId: {
    merchantOf: async (db, id) => (await findPayment(db, id))?.merchant_id,
    code: 'PAYMENT_NOT_FOUND',
    message: 'No such payment',
  },
  paymentLinkId: {
    merchantOf: async (db, id) => (await findPaymentLink(db, id))?.merchant_id,
    code: 'PAYMENT_LINK_NOT_FOUND',
    message: 'No such payment link',
  },
  sendId: {
    merchantOf: async (db, id) => (await findSend(db, id))?.merchant_id,
    code: 'SEND_NOT_FOUND',
    message: 'No such send',
  },
  linkId: {
    merchantOf: async (db, id) => (await findRefundLink(db, id))?.merchant_id,
    code: 'LINK_NOT_FOUND',
    message: 'No such refund link',
  },
  logId: { merchantOf: merchantOfLog, code: 'LOG_NOT_FOUND', message: 'No such webhook log' },
  endpointId: {
    // The merchant's own webhookUrl goes by the id of the merchant.
    merchantOf: async (db, id) => (await findEndpoint(db, id))?.merchant_id ?? id,
    code: 'ENDPOINT_NOT_FOUND',
    message: 'No such webhook endpoint',
  },
};

/**
 * The merchant of what a user's request names by its id.
 * @throws {AppError} the 404 of its kind; what belongs to another account does not exist.
 */
export async function merchantNamedBy(
  db: Db,
  userId: string,
  by: { readonly field: NonNullable<Route['namedBy']>; readonly id: unknown },
): Promise<string> {
  const { merchantOf, code, message } = NAMED[by.field];
  const merchantId = typeof by.id === 'string' ? await merchantOf(db, by.id) : undefined;
  const reached = merchantId === undefined ? null : await findReachable(db, userId, merchantId);
  if (reached === null) throw new AppError(code, message);
  return reached.merchant.id;
}
