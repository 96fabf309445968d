import { outputKey, type BlockRef, type ChainAdapter, type UnspentOutput } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { watchedKeys } from '../../store/addresses.ts';
import { findStand, rememberedBlocks } from '../../store/chain-cursors.ts';
import { forgetSkipped, findSkipped, type SkippedBlocks } from '../../store/skipped-blocks.ts';
import { inTransaction, type Db, type Tx } from '../../store/database.ts';
import { findOutput } from '../../store/outputs.ts';
import { findVersionByTxid } from '../../store/sends.ts';
import type { ObserveDeps } from './observe-deps.ts';
import { confirmSends } from '../wallet/record-spends.ts';
import { readPlan } from '../wallet/stored-plan.ts';
import { compareAccounts } from './reconcile-accounts.ts';
import { recordSightings } from './record-sightings.ts';

/** How long the ledger may take to reach the node's block. */
const PATIENCE_MS = 60_000;

type Filled = Pick<ChainAdapter, 'coin' | 'mode' | 'scanUnspent' | 'balancesAt'>;

/**
 * Reconciles blocks that were skipped: unspent outputs in them are credited from the node's own set, as of
 * their block; on chains of accounts the balances have to agree with the ledger. Then the gap is closed.
 * @returns true when no gap is open any more
 * @throws {ChainError} when the node does not answer: the gap stays.
 */
export async function fillGap(deps: ObserveDeps, adapter: Filled): Promise<boolean> {
  const chain: ChainId = { coin: adapter.coin, mode: adapter.mode };
  const gap = await findSkipped(deps.db, chain);
  if (gap === undefined) return true;
  const { balancesAt, scanUnspent } = adapter;
  if (balancesAt !== undefined) return compareGap(deps, { ...chain, balancesAt }, gap);
  if (scanUnspent === undefined) return false;
  const scan = await scanUnspent({ watchKeys: await watchedKeys(deps.db, chain), known: [], within: gap });
  if (!scan.isComplete || !(await isPast(deps.db, chain, gap, scan.tip))) return false;
  const found = scan.outputs.filter(({ height }) => height !== undefined && isWithin(gap, height));
  const credited = await inTransaction(deps.db, async (tx) => {
    let count = 0;
    for (const output of found) if (await creditFromGap(tx, deps, chain, output)) count += 1;
    await forgetSkipped(tx, chain);
    return count;
  });
  deps.logger.warn({ ...gap, credited }, 'the skipped blocks are reconciled');
  deps.wakeWebhooks();
  return true;
}

async function compareGap(
  deps: ObserveDeps,
  adapter: Parameters<typeof compareAccounts>[1],
  gap: SkippedBlocks,
): Promise<boolean> {
  const result = await compareAccounts({ ...deps, patienceMs: PATIENCE_MS }, adapter);
  if (result.kind === 'unknown' || result.differences.length > 0) return false;
  await inTransaction(deps.db, (tx) => forgetSkipped(tx, gap));
  deps.logger.warn({ ...gap }, 'the skipped blocks are reconciled');
  return true;
}

/** Whether a scan stood above the gap, on the ledger's chain: one backend may lag behind the others. */
async function isPast(db: Db, chain: ChainId, { to }: SkippedBlocks, tip: BlockRef): Promise<boolean> {
  const [known] = await rememberedBlocks(db, chain, tip.height, 1);
  return tip.height >= to && known?.height === tip.height && known.hash === tip.hash;
}

function isWithin({ from, to }: SkippedBlocks, height: number): boolean {
  return height >= from && height <= to;
}

/** False for what the ledger has already. */
async function creditFromGap(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  { ref, amount, height = 0, watchKey, block }: UnspentOutput,
): Promise<boolean> {
  const known = await findOutput(tx, chain, ref);
  if (known?.state === 'confirmed') return false;
  const stand = await findStand(tx, chain);
  if (stand === undefined || block === undefined || watchKey === undefined) {
    throw new Error(`the block of ${outputKey(ref)} is not known`);
  }
  const { hash, timeMs, maturity } = block;
  const credit = { ref, watchKey, amount, maturity, raw: null };
  const { cursor, final } = stand;
  const before = { coin: chain.coin, height: cursor.height, final };
  const sighting = { kind: 'block' as const, height, hash, before, tip: cursor.height };
  await recordSightings(tx, deps, chain, { seen: [{ credit, seenAt: timeMs }], gone: [] }, sighting);
  await confirmItsSend(tx, deps, chain, { txid: ref.txid, height });
  return true;
}

/** Change that is in a block proves that its send is, and what that spent. */
async function confirmItsSend(
  tx: Tx,
  deps: ObserveDeps,
  chain: ChainId,
  { txid, height }: { readonly txid: string; readonly height: number },
): Promise<void> {
  const version = await findVersionByTxid(tx, chain, txid);
  if (version === undefined) return;
  const spends = readPlan(version.plan_json).inputs.map(({ ref }) => ({ ref, byTxid: txid }));
  await confirmSends(tx, deps, chain, { spends, height });
}
