import { outputKey, type BlockRef, type ChainAdapter, type UnconfirmedView } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { outputsOfTransactions, unconfirmedOutputs, type StoredOutput } from '../../store/ledger/outputs.ts';
import { storedTransactions } from '../../store/ledger/raw-transactions.ts';
import { rememberInputs, spendersOfOpenParents } from '../../store/ledger/unconfirmed-inputs.ts';
import { provenBlockHash, recordUnconfirmedSpends } from '../wallet/index.ts';
import { findDoubleSpent } from './find-double-spends.ts';
import type { ObserveDeps } from './observe-deps.ts';
import type { RecheckRoundRobin } from './round-robin.ts';
import { recordObservations } from '../payments/index.ts';

/** The adapter methods needed to recheck transactions. */
type RecheckAdapter = Pick<ChainAdapter, 'coin' | 'mode' | 'recheck' | 'tip' | 'sparse' | 'hashAt'>;

/** Time after which a transaction that is in neither a block nor the node's mempool counts as dropped. */
const DROP_AFTER_MS = 2 * 3_600_000;

/**
 * Records a complete view of unconfirmed transactions. Money that counts but is in neither a block nor the view is
 * rechecked, and reverted on proof (its inputs were spent by a conflicting transaction, in the view or according to the
 * node), or when the node has lacked it for hours; it is restored if seen again. Money that exists in its block only (a
 * coinbase, a peg-out) is gone with its block. Returns false, changing nothing, when the view belongs to another tip
 * than the cursor's.
 * @param seenThrough when the chain was last seen completely, ms: what was absent then arrived later
 * @param turns round-robin state of the rechecks; kept from round to round
 */
export async function recordUnconfirmed(
  deps: ObserveDeps,
  adapter: RecheckAdapter,
  view: UnconfirmedView,
  seenThrough: number | null,
  turns: RecheckRoundRobin,
): Promise<boolean> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  if (!(await standsOn(deps, chain, view))) return false;
  const open = await unconfirmedOutputs(deps.db, chain);
  const inBlockOnly = open.filter(({ maturity }) => maturity > 1);
  const missing = open.filter(({ txid, maturity }) => maturity <= 1 && !view.has(txid));
  turns.passed(seenThrough, new Set(missing.map(({ txid }) => txid)));
  const lost = await findLost(deps, adapter, { missing, turns, tip: view.tip });
  const recorded = await deps.db.transaction(async (tx) => {
    const cursor = await findCursor(tx, chain);
    if (cursor?.hash !== view.tip.hash) return false;
    const now = deps.clock.now();
    const seen = view.credits.map((credit) => ({
      credit,
      seenAt: Math.min(now, Math.max(credit.nodeTimeMs ?? now, seenThrough ?? 0)),
    }));
    // The node keeps only one of two conflicting transactions: these were replaced by one in its mempool.
    const replaced = (await findDoubleSpent(tx, chain, view.debits)).filter(({ txid }) => !view.has(txid));
    const gone = await stillMissing(tx, chain, [...inBlockOnly, ...lost, ...replaced]);
    for (const output of gone) warnOfLoss(deps, chain, output);
    await recordObservations(tx, deps, chain, { seen, gone }, { kind: 'unconfirmed' });
    const inputsByTxid = new Map(view.credits.map(({ ref, inputs }) => [ref.txid, inputs]));
    for (const { txid, inputs } of view.credits.flatMap(({ ancestors }) => ancestors ?? []))
      inputsByTxid.set(txid, inputs);
    for (const [txid, inputs] of inputsByTxid) {
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

/**
 * The missing outputs that are lost, according to a recheck of the transactions whose turn it is. Valid only
 * while the node's tip is the ledger's block, because a later block may contain what seems replaced and must
 * be read first.
 */
async function findLost(
  deps: ObserveDeps,
  adapter: RecheckAdapter,
  recheck: {
    readonly missing: readonly StoredOutput[];
    readonly turns: RecheckRoundRobin;
    readonly tip: BlockRef;
  },
): Promise<StoredOutput[]> {
  const { missing, turns, tip } = recheck;
  if (missing.length === 0) return [];
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const txids = turns.next(missing.map((output) => output.txid));
  const fates = await adapter.recheck(await storedTransactions(deps.db, chain, txids), tip);
  const isGone = [...fates.values()].includes('gone');
  const isCurrent = !isGone || (await provenBlockHash(adapter, tip)) === tip.hash;
  const orphans = await spendersOfOpenParents(deps.db, chain);
  const { dropAfterMs = DROP_AFTER_MS } = deps;
  const lost = new Set<string>();
  for (const txid of txids) {
    const reportedFate = fates.get(txid) ?? 'unknown';
    const provenFate = reportedFate === 'gone' && !isCurrent ? 'unknown' : reportedFate;
    // A node that lost or evicted the parent answers like one that saw it replaced.
    const fate = provenFate === 'gone' && orphans.has(txid) ? 'absent' : provenFate;
    const absentMs = turns.answered(txid, fate);
    if (fate === 'gone' || (fate === 'absent' && absentMs >= dropAfterMs)) lost.add(txid);
  }
  return missing.filter(({ txid }) => lost.has(txid));
}

/** Outputs that are still unconfirmed since they were read. */
async function stillMissing(
  tx: Tx,
  chain: ChainId,
  outputs: readonly StoredOutput[],
): Promise<StoredOutput[]> {
  if (outputs.length === 0) return [];
  const refs = new Set(outputs.map(toRef));
  const txids = [...new Set(outputs.map((output) => output.txid))];
  const now = await outputsOfTransactions(tx, chain, txids);
  return now.filter((output) => output.state === 'unconfirmed' && refs.has(toRef(output)));
}

function toRef({ txid, vout }: StoredOutput): string {
  return outputKey({ txid, index: vout });
}

function warnOfLoss(deps: ObserveDeps, chain: ChainId, output: StoredOutput): void {
  const { txid, vout, paymentId } = output;
  deps.logger.warn(
    { ...chain, txid, vout, paymentId },
    'unconfirmed incoming output replaced or dropped; its credit is removed',
  );
}
