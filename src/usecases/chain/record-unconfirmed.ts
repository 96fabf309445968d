import type { ChainAdapter, UnconfirmedView } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain-cursors.ts';
import { inTransaction, type Tx } from '../../store/database.ts';
import { findOutput, putOutput, unconfirmedOutputs, type StoredOutput } from '../../store/outputs.ts';
import { storedTransactions } from '../../store/raw-transactions.ts';
import { applyFacts } from '../payment/apply-facts.ts';
import { recordUnconfirmedSpends } from '../wallet/record-spends.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { recordCredits } from './record-credits.ts';

/** Mempools drop a transaction after two weeks; past that, silence means it is not coming. */
const GIVE_UP_MS = 14 * 24 * 3_600_000;

/**
 * Records a complete view of what is unconfirmed. Money we counted on that is in no block and not
 * in the view is asked after, and taken back only on proof (its inputs were spent otherwise).
 * Answers false, changing nothing, when the view belongs to another tip than the cursor's block.
 */
export async function recordUnconfirmed(
  deps: ObserveDeps,
  adapter: Pick<ChainAdapter, 'coin' | 'mode' | 'recheck'>,
  view: UnconfirmedView,
): Promise<boolean> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  if (!(await standsOn(deps, chain, view))) return false;
  const missing = (await unconfirmedOutputs(deps.db, chain)).filter((output) => !view.has(output.txid));
  const fates = await fatesOf(deps, adapter, chain, missing);
  const recorded = await inTransaction(deps.db, async (tx) => {
    const cursor = await findCursor(tx, chain);
    if (cursor?.hash !== view.tip.hash) return false;
    const now = deps.clock.now();
    const seen = view.credits.map((credit) => ({ credit, seenAt: Math.min(now, credit.nodeTimeMs ?? now) }));
    await recordCredits(tx, deps, chain, seen, { kind: 'unconfirmed' });
    for (const output of missing) {
      if (fates(output) === 'gone') await takeBack(tx, deps, chain, output);
    }
    await recordUnconfirmedSpends(tx, deps, chain, view.debits);
    return true;
  });
  if (recorded) deps.wakeWebhooks();
  return recorded;
}

async function standsOn(deps: ObserveDeps, chain: ChainId, view: UnconfirmedView): Promise<boolean> {
  const cursor = await findCursor(deps.db, chain);
  return cursor !== undefined && cursor.hash === view.tip.hash;
}

async function fatesOf(
  deps: ObserveDeps,
  adapter: Pick<ChainAdapter, 'recheck'>,
  chain: ChainId,
  missing: readonly StoredOutput[],
): Promise<(output: StoredOutput) => 'present' | 'gone' | 'unknown'> {
  if (missing.length === 0) return () => 'unknown';
  const txids = [...new Set(missing.map((output) => output.txid))];
  const fates = await adapter.recheck(await storedTransactions(deps.db, chain, txids));
  const oldest = deps.clock.now() - GIVE_UP_MS;
  return (output) => {
    const fate = fates.get(output.txid) ?? 'unknown';
    return fate === 'unknown' && output.first_seen_at < oldest ? 'gone' : fate;
  };
}

async function takeBack(tx: Tx, deps: ObserveDeps, chain: ChainId, output: StoredOutput): Promise<void> {
  const ref = { txid: output.txid, index: output.vout };
  const current = await findOutput(tx, chain, ref);
  if (current?.state !== 'unconfirmed') return;
  deps.logger.warn(
    { ...chain, txid: output.txid, vout: output.vout, paymentId: output.payment_id },
    'unconfirmed money was replaced or dropped',
  );
  if (output.payment_id !== null) {
    await applyFacts(tx, deps, output.payment_id, [{ type: 'output_gone', ref }]);
  } else {
    await putOutput(tx, { ...current, state: 'gone', updated_at: deps.clock.now() });
  }
}
