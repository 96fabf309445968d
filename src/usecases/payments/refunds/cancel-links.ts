import type { RefundCancelReason } from '../../../domain/payment/refund-link.ts';
import { listOpenLinks, listUnpaidLinks, updateRefundLink } from '../../../store/payments/refund-links.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { emitRefundEvent, type EmitRefundEventDeps } from './emit-refund-event.ts';

/**
 * Ends the unclaimed links of a payment that received money before it was complete, because the payer chose
 * to pay. Runs in the transaction that recorded the money.
 */
export async function cancelOpenLinks(tx: Tx, deps: EmitRefundEventDeps, paymentId: string): Promise<void> {
  const links = await listOpenLinks(tx, paymentId);
  await cancelLinks(tx, deps, links, {
    reason: 'payment_received',
    problem: 'the payer paid instead, before the refund was claimed',
  });
}

/**
 * Ends the unpaid part of a payment's links, because its money was returned in another way. Runs in the
 * transaction that recorded so.
 */
export async function cancelUnpaidLinks(tx: Tx, deps: EmitRefundEventDeps, paymentId: string): Promise<void> {
  const links = await listUnpaidLinks(tx, paymentId);
  await cancelLinks(tx, deps, links, {
    reason: 'refunded_elsewhere',
    problem: 'the payment was recorded as refunded elsewhere',
  });
}

async function cancelLinks(
  tx: Tx,
  deps: EmitRefundEventDeps,
  links: readonly string[],
  { reason, problem }: { readonly reason: RefundCancelReason; readonly problem: string },
): Promise<void> {
  for (const id of links) {
    const change = {
      status: 'cancelled',
      cancelReason: reason,
      problem,
      updatedAt: deps.clock.now(),
    } as const;
    await emitRefundEvent(tx, deps, 'refund.cancelled', await updateRefundLink(tx, id, change));
  }
}
