import type { Tx } from '../../../store/sqlite/database.ts';
import { outputsOfTransactions } from '../../../store/ledger/outputs.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { type ApplyFactsDeps, recordObservations } from '../../payments/index.ts';

/**
 * Reverts the change outputs of versions that can never land, after a fork or another version displaced them: nothing
 * else checks those outputs, and sends that spend them would wait for ever.
 */
export async function revertCredits(
  tx: Tx,
  deps: ApplyFactsDeps,
  send: StoredSend,
  versions: readonly StoredSendVersion[],
): Promise<void> {
  const { coin, mode } = send;
  const txids = versions.map(({ txid }) => txid);
  const outputs = await outputsOfTransactions(tx, { coin, mode }, txids);
  const gone = outputs.filter(({ state }) => state === 'unconfirmed');
  if (gone.length === 0) return;
  await recordObservations(tx, deps, { coin, mode }, { seen: [], gone }, { kind: 'unconfirmed' });
}
