import type { Tx } from '../../store/sqlite/database.ts';
import { updateSend, type StoredSend } from '../../store/sends/sends.ts';
import { releaseOutputs } from '../../store/ledger/spendable.ts';
import type { ApplyFactsDeps } from '../payments/apply-facts.ts';
import { recordRefund } from '../refunds/record-refund.ts';
import { emitSendEvent } from '../sends/emit-send-event.ts';

/**
 * Ends a send none of whose signed versions can confirm any more: releases its coins and states why. Only for proven
 * cases; a send that merely got no answer keeps its coins. Should a fork pay it after all, the merchant gets an
 * event, even after one of its failure.
 */
export async function failSend(
  tx: Tx,
  deps: ApplyFactsDeps,
  send: StoredSend,
  reason: string,
): Promise<StoredSend> {
  await releaseOutputs(tx, send.id);
  const failed = await updateSend(
    tx,
    send.id,
    { status: 'failed', error: reason, next_broadcast_at: null, confirmed_txid: null },
    deps.clock.now(),
  );
  await emitSendEvent(tx, deps, 'send.failed', failed);
  await recordRefund(tx, deps, failed);
  return failed;
}
