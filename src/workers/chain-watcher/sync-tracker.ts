import { expectedBlockTimes, type BlockTimes } from '../../domain/block-times.ts';
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import type { ChainAdapter, NodeStatus } from '../../domain/chain.ts';
import type { Clock } from '../../domain/ports.ts';

/** How long a node must have been seen in sync before the absence of a transaction is believed. */
const SETTLE_MS = 120_000;
/** Polls further apart than this break the observation: machine, node or network may have been suspended. */
const MAX_GAP_MS = 90_000;

/** How long a node that fell behind is trusted only up to the time of its newest block. */
const DISTRUST_MS = 3_600_000;
/** Longest time without a new transaction in the mempool of a main network; nodes in step get several a minute. */
const QUIET_MS = 60_000;

/** What a complete view of blocks and mempool showed. */
export interface CompleteView {
  /** The time of the newest block, ms; null when unknown. */
  readonly tipTimeMs: number | null;
  /** Whether the mempool has a transaction that the view before it lacked; undefined where the chain does not tell. */
  readonly hasNews: boolean | undefined;
}

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
  #failedAt: number | null = null;
  #newsAt: number | null = null;

  constructor(clock: Clock, chain: Pick<ChainAdapter, 'coin' | 'mode' | 'network'>) {
    this.#clock = clock;
    this.blockTimes = expectedBlockTimes(chain);
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
   * Whether the mempool has shown nothing new for longer than its network ever goes without: the node may have lost its
   * connection, or accepts no unconfirmed transactions.
   */
  isQuiet(now: number): boolean {
    return this.blockTimes === 'rough' && this.#newsAt !== null && now - this.#newsAt > QUIET_MS;
  }

  /** Notes that blocks and mempool were read completely in a round begun at `startedAt`. */
  observed(startedAt: number, status: NodeStatus, { tipTimeMs, hasNews = true }: CompleteView): void {
    const gap = startedAt - (this.#lastLook ?? startedAt);
    const inStep = isInStep(status) && !this.isStale(tipTimeMs);
    if (!inStep || gap < 0 || gap > MAX_GAP_MS) this.#since = null;
    this.#lastLook = startedAt;
    const newsAt = this.#noteNews(startedAt, hasNews);
    if (!inStep) return;
    this.#since ??= startedAt;
    const settleMs = status.peers === null ? 0 : SETTLE_MS;
    if (startedAt - this.#since < settleMs) return;
    const isByBlocks =
      this.blockTimes === 'exact' || this.#wasBehind(startedAt) || this.#hasJustFailed(startedAt, status);
    const seen = Math.min(startedAt, isByBlocks ? (tipTimeMs ?? 0) : newsAt);
    // The same block proves no more a second time, nor does an older one after a reorganisation prove less.
    this.#seenThrough = Math.max(seen, this.seenThrough ?? 0);
  }

  /** Notes that the node did not answer: its next answers prove nothing for a while. */
  interrupted(): void {
    this.#since = null;
    this.#failedAt = this.#clock.now();
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
    return isWithin(now, this.#behindAt, DISTRUST_MS);
  }

  /** A node that is alone by design settles at once, and may lack what it had before it failed until the next block. */
  #hasJustFailed(now: number, { peers }: NodeStatus): boolean {
    return peers === null && isWithin(now, this.#failedAt, SETTLE_MS);
  }

  /**
   * Up to when the node is known to hear from a network of which it must hear all the time, ms. A node whose connection
   * broke answers on and counts its peers for many minutes: what it lacks meanwhile, and just after, proves nothing.
   */
  #noteNews(now: number, hasNews: boolean): number {
    const isFirst = this.#newsAt === null || this.#newsAt > now;
    if (hasNews || isFirst || this.blockTimes !== 'rough') this.#newsAt = now;
    else if (this.isQuiet(now)) this.#behindAt = now;
    return this.#newsAt ?? now;
  }
}

function isWithin(now: number, from: number | null, ms: number): boolean {
  return from !== null && Math.abs(now - from) < ms;
}
