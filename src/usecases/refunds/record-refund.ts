import type { Tx } from '../../store/sqlite/database.ts';
import { findRefund } from '../../store/payments/refunds.ts';
import type { StoredSend } from '../../store/sends/sends.ts';
import type { ApplyFactsDeps } from '../payments/apply-facts.ts';
import { applyRefunds } from '../payments/apply-refunds.ts';
import { recordLinkedRefund } from '../refund-links/record-link.ts';

/**
 * Tells a payment what became of a send that refunds it, in the transaction that changed the send:
 * refunded from the moment a node took the last of it, and no longer once that can never confirm. Its
 * link, if it was claimed by one, is told as well. A send that refunds nothing is left alone.
 */
export async function recordRefund(tx: Tx, deps: ApplyFactsDeps, send: StoredSend): Promise<void> {
  const refund = await findRefund(tx, send.id);
  if (refund === undefined) return;
  const events = await applyRefunds(tx, deps, refund.payment_id);
  const isToldFailed = events.includes('payment.refund_failed');
  await recordLinkedRefund(tx, deps, refund, { send, isToldFailed });
}
