import type { Tx } from '../../../store/sqlite/database.ts';
import { findRefund } from '../../../store/payments/refunds.ts';
import type { SendStatus } from '../../../domain/send/types.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { ApplyFactsDeps } from '../apply-facts.ts';
import { applyRefunds } from './apply-refunds.ts';
import { emitDirectRefundEvent } from './emit-refund-event.ts';
import { recordLinkedRefund } from './record-link.ts';

/**
 * Records on a payment the outcome of a send that refunds it, in the transaction that changed the send:
 * refunded once a node accepts the last of it, and no longer once that can never confirm. Its link, if
 * claimed by one, is updated as well. Ignores sends that refund nothing.
 * @param before the status of the send before that change
 */
export async function recordRefund(
  tx: Tx,
  deps: ApplyFactsDeps,
  send: StoredSend,
  before: SendStatus,
): Promise<void> {
  const refund = await findRefund(tx, send.id);
  if (refund === undefined) return;
  const events = await applyRefunds(tx, deps, refund.paymentId);
  const isToldFailed = events.includes('payment.refund_failed');
  if (refund.linkId !== null) {
    await recordLinkedRefund(tx, deps, refund, { send, isToldFailed });
    return;
  }
  const [wasTaken, isTaken] = [ACCEPTED.has(before), ACCEPTED.has(refund.status)];
  if (isTaken && !wasTaken && !events.includes('payment.refunded')) {
    await emitDirectRefundEvent(tx, deps, 'payment.partially_refunded', refund.paymentId);
  }
  if (wasTaken && refund.status === 'failed' && !isToldFailed) {
    await emitDirectRefundEvent(tx, deps, 'payment.refund_failed', refund.paymentId);
  }
}

/** A node has accepted the refund, or a block contains it. */
const ACCEPTED: ReadonlySet<SendStatus> = new Set(['broadcast', 'confirmed']);
