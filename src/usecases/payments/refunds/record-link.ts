import { isBeforeReturn } from '../../../domain/payment/balance.ts';
import { listRefunds, type StoredRefund } from '../../../store/payments/refunds.ts';
import { findPayment, type StoredPayment } from '../../../store/payments/payments.ts';
import {
  findRefundLink,
  updateRefundLink,
  type StoredRefundLink,
} from '../../../store/payments/refund-links.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import type { ApplyFactsDeps } from '../apply-facts.ts';
import { newId } from '../../events/index.ts';
import { emitRefundEvent } from './emit-refund-event.ts';
import { reopenLink } from './reopen-link.ts';

/**
 * Records on a link the outcome of the send that pays it, in the transaction that changed the send: paid once
 * a node accepts it; open again once it can never confirm, or ended if the payment was recorded as refunded
 * elsewhere since.
 * @param isToldFailed whether that transaction already reports a failed refund of the payment
 */
export async function recordLinkedRefund(
  tx: Tx,
  deps: ApplyFactsDeps,
  refund: StoredRefund,
  { send, isToldFailed }: { readonly send: StoredSend; readonly isToldFailed: boolean },
): Promise<void> {
  const link = refund.linkId === null ? undefined : await findRefundLink(tx, refund.linkId);
  if (link === undefined) return;
  if (send.status === 'failed') await reopen(tx, deps, link, { refund, send, isToldFailed });
  else if (send.status !== 'signed') await applyOutcome(tx, deps, link, { refund, send });
}

async function reopen(
  tx: Tx,
  deps: ApplyFactsDeps,
  link: StoredRefundLink,
  outcome: { readonly refund: StoredRefund; readonly send: StoredSend; readonly isToldFailed: boolean },
): Promise<void> {
  const { refund, send, isToldFailed } = outcome;
  if (link.sendId !== send.id) return;
  const other = (await listRefunds(tx, link.paymentId)).find(
    (each) => each.linkId === link.id && each.sendId !== send.id && each.status !== 'failed',
  );
  if (other !== undefined) return markPaid(tx, deps, link, other);
  const payment = await findPayment(tx, link.paymentId);
  const changed = await reopenLink(tx, deps, link, {
    reopenedBy: 'send',
    problem: send.error,
    needsApproval: link.approval || wasOffered(send),
    status: payment !== undefined && wasReturnedSince(refund, payment) ? 'cancelled' : 'open',
  });
  if (!isToldFailed) await emitRefundEvent(tx, deps, 'payment.refund_failed', changed);
}

/** Whether the shop recorded another return of the money after the refund was sent. */
function wasReturnedSince(
  { position }: StoredRefund,
  { refundedPosition, refundedBy }: StoredPayment,
): boolean {
  return isBeforeReturn({ refundedBy, refundedPosition }, position);
}

/**
 * Whether a node may have received the send: then its failure cost a fee, or the shop itself cancelled it.
 * Without the shop's approval the payer could repeat that at will.
 */
function wasOffered({ broadcasts, height }: StoredSend): boolean {
  return broadcasts > 0 || height !== null;
}

async function applyOutcome(
  tx: Tx,
  deps: ApplyFactsDeps,
  link: StoredRefundLink,
  { refund, send }: { readonly refund: StoredRefund; readonly send: StoredSend },
): Promise<void> {
  if (link.sendId === send.id && link.status === 'paid') return;
  if (link.sendId !== null && link.sendId !== send.id) {
    deps.logger.error(
      { linkId: link.id, sendId: send.id, otherSendId: link.sendId },
      'refund recorded as failed was mined while another refund for the same link is in flight: cancel the other unless it spends the same coins',
    );
    return;
  }
  await markPaid(tx, deps, link, refund);
}

/** A send recorded as failed that a fork mines after all restores the dropped claim. */
async function markPaid(
  tx: Tx,
  deps: ApplyFactsDeps,
  link: StoredRefundLink,
  refund: StoredRefund,
): Promise<void> {
  const now = deps.clock.now();
  const paid = await updateRefundLink(tx, link.id, {
    status: 'paid',
    coin: refund.coin,
    claimed: refund.refunded,
    destination: refund.destination,
    claimId: link.sendId === refund.sendId ? link.claimId : newId('rcl_'),
    sendId: refund.sendId,
    reopenedBy: null,
    problem: null,
    cancelReason: null,
    claimedAt: link.claimedAt ?? refund.createdAt,
    paidAt: now,
    updatedAt: now,
  });
  await emitRefundEvent(tx, deps, 'refund.paid', paid);
}
