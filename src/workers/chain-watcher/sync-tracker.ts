import { blockTimesOf, type BlockTimes } from '../../domain/block-times.ts';
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import type { ChainAdapter, NodeStatus } from '../../domain/chain.ts';
import type { Clock } from '../../domain/ports.ts';

/** How long a node must have been watched in step with its network before its silence is believed. */
const SETTLE_MS = 120_000;
/** Looks further apart than this do not join into one watch: machine, node or network may have slept. */
const MAX_GAP_MS = 90_000;

/** How long a node that had fallen behind is believed only as far as its newest block reaches. */
const DISTRUST_MS = 3_600_000;

/** A node that has every block it knows of, and peers unless it is alone by design. */
export function isInStep(status: NodeStatus): boolean {
  return !status.syncing && (status.peers === null || status.peers > 0);
}

/**
 * Tells up to when a chain was seen completely. After a start, a failure or a sleep a node often shows
 * an old tip as if it were the newest, until its peers tell it more: what it does not show then proves
 * nothing, and no payment may end by it.
 */
export class SyncTracker {
  /** What the times of the chain's blocks are good for. */
  readonly blockTimes: BlockTimes;
  readonly #clock: Clock;
  readonly #oldestTipMs: number;
  #since: number | null = null;
  #lastLook: number | null = null;
  #seenThrough: number | null = null;
  #behindAt: number | null = null;

  constructor(clock: Clock, chain: Pick<ChainAdapter, 'coin' | 'mode' | 'network'>) {
    this.#clock = clock;
    this.blockTimes = blockTimesOf(chain);
    this.#oldestTipMs = COIN_DEFINITIONS[chain.coin].blocks.oldestTipMs;
  }

  /**
   * Time up to which everything was seen, ms; null before that is known of any time. A time to come is that of a
   * clock since set back, and tells nothing.
   */
  get seenThrough(): number | null {
    const seen = this.#seenThrough;
    return seen === null || seen > this.#clock.now() ? null : seen;
  }

  /**
   * When at the earliest money came that a block shows and that was not there before, ms. Null where blocks tell it
   * themselves: what is found late, because the node was behind or did not show it, was paid at its block's time.
   */
  get cameAfter(): number | null {
    return this.blockTimes === 'exact' ? null : this.seenThrough;
  }

  /** Whether the newest block is as old as the network's never is. */
  isStale(tipTimeMs: number | null): boolean {
    if (this.blockTimes === 'none') return false;
    return tipTimeMs === null || this.#clock.now() - tipTimeMs > this.#oldestTipMs;
  }

  /**
   * Blocks and mempool were read completely in a look begun at `startedAt`.
   * @param tipTimeMs the time of the newest block; null when that is not known
   */
  observed(startedAt: number, status: NodeStatus, tipTimeMs: number | null): void {
    const gap = startedAt - (this.#lastLook ?? startedAt);
    const inStep = isInStep(status) && !this.isStale(tipTimeMs);
    if (!inStep || gap < 0 || gap > MAX_GAP_MS) this.interrupted();
    this.#lastLook = startedAt;
    if (!inStep) return;
    this.#since ??= startedAt;
    const settleMs = status.peers === null ? 0 : SETTLE_MS;
    if (startedAt - this.#since < settleMs) return;
    const isByBlocks = this.blockTimes === 'exact' || this.#wasBehind(startedAt);
    const seen = isByBlocks ? Math.min(startedAt, tipTimeMs ?? 0) : startedAt;
    // The same block tells no more at a second look, nor does an older one after a reorganisation tell less.
    this.#seenThrough = Math.max(seen, this.seenThrough ?? 0);
  }

  /** The node did not answer: what it says next proves nothing for a while. */
  interrupted(): void {
    this.#since = null;
  }

  /**
   * The node, or a backend of it, showed less than before. When its tip has grown past the cursor it may lag as much
   * as ever, so for some time its silence counts only up to the time of its newest block.
   */
  fellBehind(): void {
    this.interrupted();
    this.#behindAt = this.#clock.now();
  }

  #wasBehind(now: number): boolean {
    return this.#behindAt !== null && Math.abs(now - this.#behindAt) < DISTRUST_MS;
  }
}
