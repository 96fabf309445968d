import type { StoredRefund } from '../../store/payments/refunds.ts';
import { findPayment, type StoredPayment } from '../../store/payments/payments.ts';
import {
  findRefundLink,
  updateRefundLink,
  type StoredRefundLink,
} from '../../store/payments/refund-links.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { ApplyFactsDeps } from '../payments/apply-facts.ts';
import { emitRefundEvent } from './emit-refund-event.ts';

/** A link whose send failed can be claimed for so long at least, though its time was up. */
const REOPENED_MS = 7 * 24 * 3_600_000;

/**
 * Tells a link what became of the send that pays it, in the transaction that changed the send: paid from the moment
 * a node took it; once it can never confirm open again, or ended if the payment was recorded as refunded
 * elsewhere since.
 * @param isToldFailed whether that transaction tells of a failed refund of the payment already
 */
export async function recordLinkedRefund(
  tx: Tx,
  deps: ApplyFactsDeps,
  refund: StoredRefund,
  { send, isToldFailed }: { readonly send: StoredSend; readonly isToldFailed: boolean },
): Promise<void> {
  const link = refund.link_id === null ? undefined : await findRefundLink(tx, refund.link_id);
  if (link === undefined) return;
  if (send.status === 'failed') await reopen(tx, deps, link, { refund, send, isToldFailed });
  else if (send.status !== 'signed') await settle(tx, deps, link, { refund, send });
}

async function reopen(
  tx: Tx,
  deps: ApplyFactsDeps,
  link: StoredRefundLink,
  told: { readonly refund: StoredRefund; readonly send: StoredSend; readonly isToldFailed: boolean },
): Promise<void> {
  const { refund, send, isToldFailed } = told;
  if (link.send_id !== send.id) return;
  const now = deps.clock.now();
  const payment = await findPayment(tx, link.payment_id);
  const changed = await updateRefundLink(tx, link.id, {
    status: payment !== undefined && wasReturnedSince(refund, payment) ? 'cancelled' : 'open',
    coin: null,
    claimed: null,
    destination: null,
    send_id: null,
    problem: send.error,
    claimed_at: null,
    approved_at: null,
    paid_at: null,
    approval: wasOffered(send) ? 1 : link.approval,
    expires_at: Math.max(link.expires_at, now + REOPENED_MS),
    updated_at: now,
  });
  if (!isToldFailed) await emitRefundEvent(tx, deps, 'payment.refund_failed', changed);
}

/** Whether the money went back in another way after the refund was sent, as the shop recorded. */
function wasReturnedSince(
  { created_at: sentAt }: StoredRefund,
  { refunded_at: returnedAt, refunded_by: by }: StoredPayment,
): boolean {
  return by === 'merchant' && returnedAt !== null && sentAt < returnedAt;
}

/**
 * Whether a node may have had the send: then its failure cost a fee, or the shop itself cancelled it. Without the
 * shop's approval the payer could have it paid for that as often as he likes.
 */
function wasOffered({ broadcasts, height }: StoredSend): boolean {
  return broadcasts > 0 || height !== null;
}

async function settle(
  tx: Tx,
  deps: ApplyFactsDeps,
  link: StoredRefundLink,
  { refund, send }: { readonly refund: StoredRefund; readonly send: StoredSend },
): Promise<void> {
  if (link.send_id === send.id && link.status === 'paid') return;
  if (link.send_id !== null && link.send_id !== send.id) {
    deps.logger.error(
      { linkId: link.id, sendId: send.id, otherSendId: link.send_id },
      'a refund that was given up was paid after all, while another one of the same link is under way',
    );
    return;
  }
  const now = deps.clock.now();
  // A send that was recorded as failed, and that a fork pays after all, takes back the claim that was dropped.
  const paid = await updateRefundLink(tx, link.id, {
    status: 'paid',
    coin: refund.coin,
    claimed: refund.refunded,
    destination: refund.destination,
    send_id: send.id,
    problem: null,
    claimed_at: link.claimed_at ?? refund.created_at,
    paid_at: now,
    updated_at: now,
  });
  await emitRefundEvent(tx, deps, 'refund.paid', paid);
}
