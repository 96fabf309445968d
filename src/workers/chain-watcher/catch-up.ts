import type { BlockRef, ChainAdapter, ChainBlock } from '../../domain/chain.ts';
import { assertNever } from '../../domain/errors.ts';
import {
  skipLostBlocks,
  type ObserveDeps,
  recordBlock,
  rollBackReorg,
} from '../../usecases/chain-sync/index.ts';
import type { HealthRecord } from './chain-health.ts';
import { findForkPoint, type Fork } from './fork-point.ts';
import type { SyncTracker } from './sync-tracker.ts';

/** Blocks recorded per round, so that a long catch-up still reads the mempool now and then. */
const BLOCKS_PER_ROUND = 500;

/** How long a node may miss the cursor's block before that counts as more than a lagging backend. */
const UNSHOWN_MS = 60_000;

export interface CatchUpDeps extends ObserveDeps {
  readonly adapter: ChainAdapter;
  readonly health: HealthRecord;
  readonly syncTracker: SyncTracker;
  /**
   * Since when the node has been missing the cursor's block, ms; null while it has it. Kept across rounds.
   */
  readonly unshown: { since: number | null };
  /** Ends the work after the current block. */
  readonly stopping: AbortSignal;
}

/**
 * State of the cursor: at the node's tip, with more to do at once, or above the node, which must first catch
 * up.
 */
export type CatchUp = 'caught_up' | 'more' | 'behind';

/**
 * Records blocks from the cursor up to the node's tip, at most one round's worth, or rewinds to the
 * fork point of the node's best chain.
 */
export async function catchUp(deps: CatchUpDeps, from: BlockRef): Promise<CatchUp> {
  const { adapter } = deps;
  const isChecked = adapter.sparse?.isChecked(from) === true;
  if (!isChecked && (await adapter.hashAt(from.height)) !== from.hash) return leaveBranch(deps, from);
  deps.unshown.since = null;
  let cursor = from;
  for (let done = 0; done < BLOCKS_PER_ROUND;) {
    if (deps.stopping.aborted) return 'more';
    const blocks = await blocksAfter(adapter, cursor);
    if (blocks.length === 0) return 'caught_up';
    for (const [block, below] of steps(blocks)) {
      // Not a child of the cursor's block (the next round finds the fork), or to be read again.
      if (!(await recordBlock(deps, toChainId(deps), block, deps.syncTracker, below))) return 'more';
      cursor = { height: block.height, hash: block.hash };
      deps.health.recorded(cursor);
    }
    done += blocks.length;
  }
  return 'more';
}

/** Handles a missing cursor block: rewinds to the last shared block once another block proves a fork. */
async function leaveBranch(deps: CatchUpDeps, cursor: BlockRef): Promise<CatchUp> {
  const fork = await findForkPoint(deps.db, deps.adapter, cursor);
  switch (fork.kind) {
    case 'behind':
      return waitFor(deps, fork.tip);
    case 'unshown':
      return passGap(deps, cursor, fork);
    case 'fork':
      deps.unshown.since = null;
      await rollBackReorg(deps, deps.adapter, fork.at);
      deps.health.rewound(fork.at);
      return 'more';
    default:
      return assertNever(fork);
  }
}

function waitFor(deps: CatchUpDeps, tip: BlockRef): CatchUp {
  deps.syncTracker.fellBehind();
  deps.health.behindCursor(tip);
  return 'behind';
}

/**
 * One of several backends often lags by a block for a moment, so the next poll retries and nothing is
 * concluded until then. A block that stays missing is lost to this node: the scan continues after the gap
 * where that is sound.
 */
async function passGap(
  deps: CatchUpDeps,
  cursor: BlockRef,
  { tip, shared }: Extract<Fork, { kind: 'unshown' }>,
): Promise<CatchUp> {
  const now = deps.clock.now();
  deps.unshown.since ??= now;
  if (Math.abs(now - deps.unshown.since) < UNSHOWN_MS) return 'behind';
  const block = await skipLostBlocks(deps, deps.adapter, { cursor, shared });
  if (block === null) return waitFor(deps, tip);
  deps.syncTracker.interrupted();
  const recorded = await recordBlock(deps, toChainId(deps), block, deps.syncTracker);
  if (recorded) deps.health.recorded(block);
  return 'more';
}

/** Reads the next blocks by the cheapest method of the chain; none at its tip. */
async function blocksAfter(adapter: ChainAdapter, cursor: BlockRef): Promise<readonly ChainBlock[]> {
  if (adapter.blockBatches !== undefined) return adapter.blockBatches.blocksFrom(cursor.height + 1);
  const block =
    adapter.sparse === undefined
      ? await adapter.blockAt(cursor.height + 1)
      : await adapter.sparse.blockAfter(cursor);
  return block === null ? [] : [block];
}

/**
 * Groups blocks into steps: blocks without relevant transactions are one step, and a last block with some is
 * a step of its own. If it fails, the others are recorded anyway.
 */
function steps(blocks: readonly ChainBlock[]): [block: ChainBlock, below: readonly ChainBlock[]][] {
  const last = blocks.at(-1);
  if (last === undefined) return [];
  const others = blocks.slice(0, -1);
  const before = others.at(-1);
  const concernsUs = last.credits.length > 0 || last.debits.length > 0;
  if (!concernsUs || before === undefined) return [[last, others]];
  return [
    [before, others.slice(0, -1)],
    [last, []],
  ];
}

function toChainId({ adapter }: CatchUpDeps): Pick<ChainAdapter, 'coin' | 'mode'> {
  return { coin: adapter.coin, mode: adapter.mode };
}
