import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findPaymentLink } from '../../store/catalog/payment-links.ts';
import { findCounter } from '../../store/merchants/counters.ts';
import { findRefundLink } from '../../store/payments/refund-links.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { findApproval } from '../../store/sends/send-approvals.ts';
import { findSend } from '../../store/sends/sends.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';
import { findEndpoint } from '../../store/webhooks/webhook-endpoints.ts';
import { findDelivery } from '../../store/webhooks/deliveries.ts';
import { merchantOfLog } from '../../store/webhooks/webhook-logs.ts';
import { findReachable } from '../../usecases/access/index.ts';
import type { NamingId, Route } from './route.ts';

interface Named {
  readonly merchantOf: (db: Db, id: string) => Promise<string | undefined>;
  readonly code: ErrorCode;
  readonly message: string;
}

const NAMED: Readonly<Record<NamingId, Named>> = {
  paymentId: {
    merchantOf: async (db, id) => (await findPayment(db, id))?.merchantId,
    code: 'PAYMENT_NOT_FOUND',
    message: 'No such payment',
  },
  paymentLinkId: {
    merchantOf: async (db, id) => (await findPaymentLink(db, id))?.merchantId,
    code: 'PAYMENT_LINK_NOT_FOUND',
    message: 'No such payment link',
  },
  counterId: {
    merchantOf: async (db, id) => (await findCounter(db, id))?.merchantId,
    code: 'COUNTER_NOT_FOUND',
    message: 'No such counter',
  },
  subscriptionId: {
    merchantOf: async (db, id) => (await findSubscription(db, id))?.merchantId,
    code: 'SUBSCRIPTION_NOT_FOUND',
    message: 'No such subscription',
  },
  sendId: {
    merchantOf: async (db, id) => ((await findSend(db, id)) ?? (await findApproval(db, id)))?.merchantId,
    code: 'SEND_NOT_FOUND',
    message: 'No such send',
  },
  linkId: {
    merchantOf: async (db, id) => (await findRefundLink(db, id))?.merchantId,
    code: 'LINK_NOT_FOUND',
    message: 'No such refund link',
  },
  logId: { merchantOf: merchantOfLog, code: 'LOG_NOT_FOUND', message: 'No such webhook log' },
  deliveryId: {
    merchantOf: async (db, id) => (await findDelivery(db, id))?.merchantId,
    code: 'LOG_NOT_FOUND',
    message: 'No such webhook delivery',
  },
  endpointId: {
    // The merchant's own webhookUrl has the id of the merchant.
    merchantOf: async (db, id) => (await findEndpoint(db, id))?.merchantId ?? id,
    code: 'ENDPOINT_NOT_FOUND',
    message: 'No such webhook endpoint',
  },
};

/** The error for an id that is not the caller's. */
export function unknownIdCodes({ namedBy }: Pick<Route, 'namedBy'>): ErrorCode[] {
  return namedBy.map((field) => NAMED[field].code);
}

/** Instead of an endpoint's id: the URLs of single payments. It names no merchant. */
export const OF_PAYMENTS = 'payment';

export interface NamedId {
  readonly field: NamingId;
  readonly id: unknown;
}

/** The id in a request that implies its merchant; null if there is none. */
export function findNamedId(
  { namedBy }: Pick<Route, 'namedBy'>,
  body: unknown,
  query: unknown,
): NamedId | null {
  for (const field of namedBy)
    for (const part of [body, query])
      if (typeof part === 'object' && part !== null && Object.hasOwn(part, field)) {
        const id: unknown = Reflect.get(part, field);
        if (id !== OF_PAYMENTS) return { field, id };
      }
  return null;
}

/**
 * The merchant of the id in a user's request.
 * @throws {AppError} the 404 of its kind; records of another account are reported as missing.
 */
export async function merchantNamedBy(db: Db, userId: string, by: NamedId): Promise<string> {
  const { merchantOf, code, message } = NAMED[by.field];
  const merchantId = typeof by.id === 'string' ? await merchantOf(db, by.id) : undefined;
  const reached = merchantId === undefined ? null : await findReachable(db, userId, merchantId);
  if (reached === null) throw new AppError(code, message);
  return reached.merchant.id;
}
