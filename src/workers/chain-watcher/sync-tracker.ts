import { blockTimesOf, type BlockTimes } from '../../domain/block-times.ts';
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import type { ChainAdapter, NodeStatus } from '../../domain/chain.ts';
import type { Clock } from '../../domain/ports.ts';

/** How long a node must have been seen in sync before the absence of a transaction is believed. */
const SETTLE_MS = 120_000;
/** Polls further apart than this break the observation: machine, node or network may have been suspended. */
const MAX_GAP_MS = 90_000;

/** How long a node that fell behind is trusted only up to the time of its newest block. */
const DISTRUST_MS = 3_600_000;

/** Whether a node has every block it knows of, and has peers unless it is alone by design. */
export function isInStep(status: NodeStatus): boolean {
  return !status.syncing && (status.peers === null || status.peers > 0);
}

/**
 * Tracks up to when a chain was seen completely. After a start, a failure or a suspension a node often
 * shows an old tip as if it were the newest, until its peers tell it more: what it does not show then
 * proves nothing, and no payment may end by it.
 */
export class SyncTracker {
  /** How far the chain's block times can be trusted. */
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
   * Time up to which everything was seen, ms; null while unknown. A future time was written before the clock was
   * set back and proves nothing.
   */
  get seenThrough(): number | null {
    const seen = this.#seenThrough;
    return seen === null || seen > this.#clock.now() ? null : seen;
  }

  /**
   * Earliest arrival time of money that is new in a block, ms. Null where the block time tells: money found late,
   * because the node was behind or did not show it, was paid at its block's time.
   */
  get cameAfter(): number | null {
    return this.blockTimes === 'exact' ? null : this.seenThrough;
  }

  /** Whether the newest block is older than the network's newest block ever is. */
  isStale(tipTimeMs: number | null): boolean {
    if (this.blockTimes === 'none') return false;
    return tipTimeMs === null || this.#clock.now() - tipTimeMs > this.#oldestTipMs;
  }

  /**
   * Notes that blocks and mempool were read completely in a round begun at `startedAt`.
   * @param tipTimeMs the time of the newest block; null when unknown
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
    // The same block proves no more a second time, nor does an older one after a reorganisation prove less.
    this.#seenThrough = Math.max(seen, this.seenThrough ?? 0);
  }

  /** Notes that the node did not answer: its next answers prove nothing for a while. */
  interrupted(): void {
    this.#since = null;
  }

  /**
   * Notes that the node, or one of its backends, showed less than before. Even with a tip past the cursor it may still
   * lag, so for some time absence counts only up to the time of its newest block.
   */
  fellBehind(): void {
    this.interrupted();
    this.#behindAt = this.#clock.now();
  }

  #wasBehind(now: number): boolean {
    return this.#behindAt !== null && Math.abs(now - this.#behindAt) < DISTRUST_MS;
  }
}
