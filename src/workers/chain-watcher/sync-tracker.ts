import { expectedBlockTimes, type BlockTimes } from '../../domain/block-times.ts';
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import type { ChainAdapter, NodeStatus } from '../../domain/chain.ts';
import type { Clock } from '../../domain/ports.ts';

/** How long a node must have been seen in sync before the absence of a transaction counts as proof. */
const SETTLE_MS = 120_000;
/**
 * A longer pause between polls interrupts the observation, because machine, node or network may have been
 * suspended.
 */
const MAX_GAP_MS = 90_000;

/** How long a node that fell behind is trusted only up to the time of its newest block. */
const DISTRUST_MS = 3_600_000;
/**
 * Longest time without a new transaction in the mempool of a main network; nodes in sync receive several a
 * minute.
 */
const QUIET_MS = 60_000;

/** The result of a complete view of blocks and mempool. */
export interface CompleteView {
  /** The time of the newest block, ms; null when unknown. */
  readonly tipTimeMs: number | null;
  /**
   * Whether the mempool has a transaction that the previous view lacked; undefined if the chain does not show
   * that.
   */
  readonly hasNews: boolean | undefined;
}

/** Whether a node has every block that it knows of, and has peers unless it is configured without. */
export function isSynced(status: NodeStatus): boolean {
  return !status.syncing && (status.peers === null || status.peers > 0);
}

/**
 * Tracks up to which time a chain was seen completely. After a start, a failure or a suspension a node often
 * shows an old tip as if it were the newest, until its peers send it more: absence then proves nothing, and
 * no payment may expire because of it.
 */
export class SyncTracker {
  /** How far the chain's block times are reliable. */
  readonly blockTimes: BlockTimes;
  readonly #clock: Clock;
  readonly #oldestTipMs: number;
  #since: number | null = null;
  #lastPollAt: number | null = null;
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
   * Time up to which the chain was seen completely, ms; null while unknown. A future time was written before
   * the clock was set back and proves nothing.
   */
  get seenThrough(): number | null {
    const seen = this.#seenThrough;
    return seen === null || seen > this.#clock.now() ? null : seen;
  }

  /**
   * Earliest arrival time of money that is new in a block, ms. Null if the block time decides: money found
   * late, because the node was behind or did not show it, was paid at its block's time.
   */
  get cameAfter(): number | null {
    return this.blockTimes === 'exact' ? null : this.seenThrough;
  }

  /** Whether the newest block is older than the newest block of the network can be. */
  isStale(tipTimeMs: number | null): boolean {
    if (this.blockTimes === 'none') return false;
    return tipTimeMs === null || this.#clock.now() - tipTimeMs > this.#oldestTipMs;
  }

  /**
   * Whether the mempool has shown nothing new for longer than is normal on its network: the node may have
   * lost its connection, or accepts no unconfirmed transactions.
   */
  isQuiet(now: number): boolean {
    return this.blockTimes === 'rough' && this.#newsAt !== null && now - this.#newsAt > QUIET_MS;
  }

  /** Records that blocks and mempool were read completely in a round begun at `startedAt`. */
  observed(startedAt: number, status: NodeStatus, { tipTimeMs, hasNews = true }: CompleteView): void {
    const gap = startedAt - (this.#lastPollAt ?? startedAt);
    const inStep = isSynced(status) && !this.isStale(tipTimeMs);
    if (!inStep || gap < 0 || gap > MAX_GAP_MS) this.#since = null;
    this.#lastPollAt = startedAt;
    const newsAt = this.#noteNews(startedAt, hasNews);
    if (!inStep) return;
    this.#since ??= startedAt;
    const settleMs = status.peers === null ? 0 : SETTLE_MS;
    if (startedAt - this.#since < settleMs) return;
    const isByBlocks =
      this.blockTimes === 'exact' || this.#wasBehind(startedAt) || this.#hasJustFailed(startedAt, status);
    const seen = Math.min(startedAt, isByBlocks ? (tipTimeMs ?? 0) : newsAt);
    // The same block does not extend the proof, nor does an older one after a reorganisation shorten it.
    this.#seenThrough = Math.max(seen, this.seenThrough ?? 0);
  }

  /** Records that the node did not answer: absence in its next answers proves nothing for a while. */
  interrupted(): void {
    this.#since = null;
    this.#failedAt = this.#clock.now();
  }

  /**
   * Records that the node, or one of its backends, showed less than before. Even with a tip past the cursor
   * it may still lag, so for some time absence counts only up to the time of its newest block.
   */
  fellBehind(): void {
    this.interrupted();
    this.#behindAt = this.#clock.now();
  }

  #wasBehind(now: number): boolean {
    return isWithin(now, this.#behindAt, DISTRUST_MS);
  }

  /**
   * A node configured without peers is trusted at once, and may lack transactions from before its failure
   * until the next block.
   */
  #hasJustFailed(now: number, { peers }: NodeStatus): boolean {
    return peers === null && isWithin(now, this.#failedAt, SETTLE_MS);
  }

  /**
   * Time up to which the node is known to receive data from a network that sends it continuously, ms. A node
   * whose connection broke still answers and counts its peers for many minutes: absence meanwhile, and just
   * after, proves nothing.
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
