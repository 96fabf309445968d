import type { BlockRef, ChainAdapter, ChainBlock } from '../domain/chain.ts';
import type { ObserveDeps } from '../usecases/chain/observe-deps.ts';
import { recordBlock } from '../usecases/chain/record-block.ts';
import { rewindChain } from '../usecases/chain/rewind-chain.ts';
import type { HealthRecord } from './chain-health.ts';
import { findForkPoint } from './fork-point.ts';
import type { UnbrokenWatch } from './unbroken-watch.ts';

/** Blocks recorded per round, so that the mempool is looked at now and then during a long catch-up. */
const BLOCKS_PER_ROUND = 500;

export interface CatchUpDeps extends ObserveDeps {
  readonly adapter: ChainAdapter;
  readonly health: HealthRecord;
  readonly watch: UnbrokenWatch;
  /** Ends the work after the block in hand. */
  readonly stopping: AbortSignal;
}

/**
 * What has become of the cursor: it stands on the node's tip, there is more to do at once, or the node
 * must first come up to where the cursor already is.
 */
export type CatchUp = 'caught_up' | 'more' | 'behind';

/**
 * Records blocks from the cursor up to the node's tip, at most a round's worth, or goes back to where
 * the node's best chain left the recorded one.
 */
export async function catchUp(deps: CatchUpDeps, from: BlockRef): Promise<CatchUp> {
  if ((await deps.adapter.hashAt(from.height)) !== from.hash) return leaveBranch(deps, from);
  let cursor = from;
  for (let done = 0; done < BLOCKS_PER_ROUND;) {
    if (deps.stopping.aborted) return 'more';
    const blocks = await blocksAfter(deps.adapter, cursor);
    if (blocks.length === 0) return 'caught_up';
    for (const [block, below] of steps(blocks)) {
      // Not the child of our block (the next round finds the fork), or to be read again.
      if (!(await recordBlock(deps, chainOf(deps), block, deps.watch.seenThrough, below))) return 'more';
      cursor = { height: block.height, hash: block.hash };
      deps.health.recorded(cursor);
    }
    done += blocks.length;
  }
  return 'more';
}

/** The cursor's block is not in the node's best chain: back to the last one that is. */
async function leaveBranch(deps: CatchUpDeps, cursor: BlockRef): Promise<CatchUp> {
  const fork = await findForkPoint(deps.db, deps.adapter, cursor);
  if (fork.kind === 'behind') {
    deps.watch.broken();
    deps.health.behindCursor(fork.tip);
    return 'behind';
  }
  await rewindChain(deps, chainOf(deps), fork.at);
  deps.health.rewound(fork.at);
  return 'more';
}

/** The next blocks in the way that the chain is best read; none at its tip. */
async function blocksAfter(adapter: ChainAdapter, cursor: BlockRef): Promise<readonly ChainBlock[]> {
  if (adapter.blocksFrom !== undefined) return adapter.blocksFrom(cursor.height + 1);
  const block =
    adapter.blockAfter === undefined
      ? await adapter.blockAt(cursor.height + 1)
      : await adapter.blockAfter(cursor);
  return block === null ? [] : [block];
}

/**
 * What is recorded together: the blocks in which nothing concerns us are one step, the last one alone
 * is another when something does. Should it fail, the others are recorded all the same.
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

function chainOf({ adapter }: CatchUpDeps): Pick<ChainAdapter, 'coin' | 'mode'> {
  return { coin: adapter.coin, mode: adapter.mode };
}
