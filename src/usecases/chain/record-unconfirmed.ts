import { outputKey, type ChainAdapter, type UnconfirmedView } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain-cursors.ts';
import { inTransaction, type Tx } from '../../store/database.ts';
import { outputsOfTransactions, unconfirmedOutputs, type StoredOutput } from '../../store/outputs.ts';
import { storedTransactions } from '../../store/raw-transactions.ts';
import { rememberInputs, spendersOfOpenParents } from '../../store/unconfirmed-inputs.ts';
import { recordUnconfirmedSpends } from '../wallet/record-spends.ts';
import type { ObserveDeps } from './observe-deps.ts';
import type { RecheckTurns } from './recheck-turns.ts';
import { recordSightings } from './record-sightings.ts';

/** Mempools drop a transaction after two weeks; past that, silence means it is not coming. */
const GIVE_UP_MS = 14 * 24 * 3_600_000;
/**
 * How long a payment that spent unconfirmed money is waited for when its inputs are missing: a node
 * that lost or evicted the parent says the same as one that saw it replaced.
 */
const ORPHAN_PATIENCE_MS = 3 * 24 * 3_600_000;

/**
 * Records a complete view of what is unconfirmed. Money we counted on that is in no block and not
 * in the view is asked after, and taken back only on proof (its inputs were spent otherwise).
 * Answers false, changing nothing, when the view belongs to another tip than the cursor's block.
 * @param seenThrough when the chain was last seen completely, ms: what was not there then came later
 * @param turns whose turn it is to be asked after; kept from look to look
 */
export async function recordUnconfirmed(
  deps: ObserveDeps,
  adapter: Pick<ChainAdapter, 'coin' | 'mode' | 'recheck'>,
  view: UnconfirmedView,
  seenThrough: number | null,
  turns: RecheckTurns,
): Promise<boolean> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  if (!(await standsOn(deps, chain, view))) return false;
  const missing = (await unconfirmedOutputs(deps.db, chain)).filter((output) => !view.has(output.txid));
  const fates = await fatesOf(deps, adapter, chain, { missing, turns });
  const recorded = await inTransaction(deps.db, async (tx) => {
    const cursor = await findCursor(tx, chain);
    if (cursor?.hash !== view.tip.hash) return false;
    const now = deps.clock.now();
    const seen = view.credits.map((credit) => ({
      credit,
      seenAt: Math.min(now, Math.max(credit.nodeTimeMs ?? now, seenThrough ?? 0)),
    }));
    const gone = await stillMissing(
      tx,
      chain,
      missing.filter((output) => fates(output) === 'gone'),
    );
    for (const output of gone) warnOfLoss(deps, chain, output);
    await recordSightings(tx, deps, chain, { seen, gone }, { kind: 'unconfirmed' });
    const inputsOf = new Map(view.credits.map(({ ref, inputs }) => [ref.txid, inputs]));
    for (const [txid, inputs] of inputsOf) {
      const known = inputs.map((input) => ({ ...input, isParentOpen: view.has(input.txid) }));
      await rememberInputs(tx, chain, txid, known);
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
  { missing, turns }: { readonly missing: readonly StoredOutput[]; readonly turns: RecheckTurns },
): Promise<(output: StoredOutput) => 'present' | 'gone' | 'unknown'> {
  if (missing.length === 0) return () => 'unknown';
  const txids = turns.next(missing.map((output) => output.txid));
  const asked = new Set(txids);
  const fates = await adapter.recheck(await storedTransactions(deps.db, chain, txids));
  const orphans = await spendersOfOpenParents(deps.db, chain);
  const now = deps.clock.now();
  return (output) => {
    if (!asked.has(output.txid)) return 'unknown';
    const told = fates.get(output.txid) ?? 'unknown';
    const patienceMs = orphans.has(output.txid) ? ORPHAN_PATIENCE_MS : 0;
    const fate = told === 'gone' && Math.abs(now - output.first_seen_at) < patienceMs ? 'unknown' : told;
    return fate === 'unknown' && now - output.first_seen_at > GIVE_UP_MS ? 'gone' : fate;
  };
}

/** Those of the outputs that nothing has confirmed since they were looked up. */
async function stillMissing(
  tx: Tx,
  chain: ChainId,
  outputs: readonly StoredOutput[],
): Promise<StoredOutput[]> {
  if (outputs.length === 0) return [];
  const asked = new Set(outputs.map(nameOf));
  const txids = [...new Set(outputs.map((output) => output.txid))];
  const now = await outputsOfTransactions(tx, chain, txids);
  return now.filter((output) => output.state === 'unconfirmed' && asked.has(nameOf(output)));
}

function nameOf({ txid, vout }: StoredOutput): string {
  return outputKey({ txid, index: vout });
}

function warnOfLoss(deps: ObserveDeps, chain: ChainId, output: StoredOutput): void {
  const { txid, vout, payment_id: paymentId } = output;
  deps.logger.warn({ ...chain, txid, vout, paymentId }, 'unconfirmed money was replaced or dropped');
}
