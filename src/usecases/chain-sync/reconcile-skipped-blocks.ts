import {
  ChainError,
  outputKey,
  type BlockRef,
  type ChainAdapter,
  type UnspentOutput,
} from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { watchedKeys } from '../../store/ledger/addresses.ts';
import { findCursor, rememberedBlocks } from '../../store/chain/chain-cursors.ts';
import { deleteSkippedBlocks, listSkippedBlocks } from '../../store/chain/skipped-blocks.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findOutput } from '../../store/ledger/outputs.ts';
import { findPsbtByTxid } from '../../store/sends/send-psbts.ts';
import { findVersionByTxid } from '../../store/sends/send-versions.ts';
import type { ChainGapRow } from '../../store/schema/chain.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { recordMovements } from '../accounting/index.ts';
import { confirmSends, readPlan } from '../wallet/index.ts';
import { compareAccounts } from './reconcile-accounts.ts';
import { recordObservations } from '../payments/index.ts';

/** Time limit for the ledger to reach the node's block. */
const PATIENCE_MS = 60_000;

type Filled = Pick<ChainAdapter, 'coin' | 'mode' | 'funds'>;

/**
 * Reconciles the gaps of a chain: unspent outputs in them are credited from the node's own set, as of
 * their block; on chains of accounts the balances have to agree with the ledger. Then the gaps are closed.
 * @returns true when no gap is open any more
 * @throws {ChainError} when the node does not answer: the gaps stay.
 */
export async function reconcileSkippedBlocks(deps: ObserveDeps, adapter: Filled): Promise<boolean> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const gaps = await listSkippedBlocks(deps.db, chain);
  if (gaps.length === 0) return true;
  const { funds } = adapter;
  if (funds === undefined) return false;
  if (funds.model === 'accounts') return compareSkippedBlocks(deps, { ...chain, funds }, gaps);
  const within = {
    from: Math.min(...gaps.map((gap) => gap.afterHeight + 1)),
    to: Math.max(...gaps.map((gap) => gap.beforeHeight - 1)),
  };
  const scan = await funds.scanUnspent({ watchKeys: await watchedKeys(deps.db, chain), known: [], within });
  if (!scan.isComplete || !(await isPast(deps.db, chain, within.to, scan.tip))) return false;
  const inGaps = scan.outputs.filter(({ height }) => gaps.some((gap) => isWithin(gap, height)));
  const credited = await deps.db.transaction(async (tx) => {
    let count = 0;
    for (const output of inGaps) if (await creditFromSkippedBlock(tx, deps, chain, output)) count += 1;
    const txids = inGaps.map(({ ref }) => ref.txid);
    await recordMovements(tx, deps, chain, txids);
    await deleteSkippedBlocks(tx, gaps);
    return count;
  });
  deps.logger.info(
    { ...chain, ...within, credited },
    'gap of skipped blocks closed: payments inside it are credited',
  );
  deps.wakeWebhooks();
  return true;
}

async function compareSkippedBlocks(
  deps: ObserveDeps,
  adapter: Parameters<typeof compareAccounts>[1],
  gaps: readonly ChainGapRow[],
): Promise<boolean> {
  const top = Math.max(...gaps.map((gap) => gap.beforeHeight - 1));
  const balancesAt: typeof adapter.funds.balancesAt = async (keys, cursor) => {
    const reading = await adapter.funds.balancesAt(keys, cursor);
    if (reading.height >= top) return reading;
    throw new ChainError(
      'unavailable',
      `the node reports balances of block ${reading.height}, below the gap's ${top}`,
    );
  };
  const result = await compareAccounts(
    { ...deps, patienceMs: PATIENCE_MS },
    { ...adapter, funds: { balancesAt } },
  );
  if (result.kind === 'unknown' || result.differences.length > 0) return false;
  await deps.db.transaction((tx) => deleteSkippedBlocks(tx, gaps));
  const { coin, mode } = adapter;
  deps.logger.info({ coin, mode, gaps }, 'gap of skipped blocks closed: ledger and on-chain balances agree');
  return true;
}

/** Whether a scan's tip is at or above a height, on the ledger's chain: one backend may lag behind the others. */
async function isPast(db: Db, chain: ChainId, height: number, tip: BlockRef): Promise<boolean> {
  const [known] = await rememberedBlocks(db, chain, tip.height, 1);
  return tip.height >= height && known?.height === tip.height && known.hash === tip.hash;
}

function isWithin({ afterHeight, beforeHeight }: ChainGapRow, height = -1): boolean {
  return height > afterHeight && height < beforeHeight;
}

/** False for outputs already in the ledger. */
async function creditFromSkippedBlock(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  { ref, amount, height = 0, watchKey, block }: UnspentOutput,
): Promise<boolean> {
  const known = await findOutput(tx, chain, ref);
  if (known?.state === 'confirmed') return false;
  const cursor = await findCursor(tx, chain);
  if (cursor === undefined || block === undefined || watchKey === undefined) {
    throw new Error(`the block of ${outputKey(ref)} is unknown`);
  }
  const { hash, timeMs, maturity } = block;
  const credit = { ref, watchKey, amount, maturity, raw: null };
  const sighting = { kind: 'block' as const, height, hash, tip: cursor.height };
  const seen = { credit, seenAt: timeMs, minedAt: timeMs };
  await recordObservations(tx, deps, chain, { seen: [seen], gone: [] }, sighting);
  await confirmItsSend(tx, deps, chain, { txid: ref.txid, height });
  return true;
}

/** Change that is in a block proves that its send is confirmed, and its inputs spent. */
async function confirmItsSend(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  { txid, height }: { readonly txid: string; readonly height: number },
): Promise<void> {
  const signed = await findVersionByTxid(tx, chain, txid);
  // Another wallet signed it, and may have broadcast it without the till.
  const sent = signed ?? (await findPsbtByTxid(tx, chain, txid));
  if (sent === undefined) return;
  const spends = readPlan(sent.planJson).inputs.map(({ ref }) => ({ ref, byTxid: txid }));
  await confirmSends(tx, deps, chain, { spends, height });
}
