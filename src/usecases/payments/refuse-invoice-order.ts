import { invalidField } from '../../domain/errors.ts';
import { subscriptionOfOrder } from '../../domain/subscription/invoice.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findSubscription } from '../../store/subscriptions/subscriptions.ts';

/**
 * An order with the order id of an invoice would keep that invoice from being made.
 * @throws {AppError} VALIDATION_INVALID (orderId)
 */
export async function refuseInvoiceOrder(
  tx: Tx,
  { merchantId, orderId }: { readonly merchantId: string; readonly orderId: string },
): Promise<void> {
  const id = subscriptionOfOrder(orderId);
  const subscription = id === null ? undefined : await findSubscription(tx, id);
  if (subscription?.merchantId !== merchantId) return;
  throw invalidField('orderId', 'is reserved for an invoice of a subscription');
}
