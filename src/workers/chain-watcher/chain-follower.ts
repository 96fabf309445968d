import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChainError,
  type BlockRef,
  type ChainAdapter,
  type NodeStatus,
  type UnconfirmedView,
} from '../../domain/chain.ts';
import { cursorTime } from '../../store/chain/chain-cursors.ts';
import {
  FinalityCache,
  type ObserveDeps,
  RecheckRoundRobin,
  recordFinality,
  recordUnconfirmed,
  startCursor,
} from '../../usecases/chain-sync/index.ts';
import { recheckDepths } from '../../usecases/payments/index.ts';
import { catchUp } from './catch-up.ts';
import { HealthRecord, type ChainHealth, type WatchMetrics } from './chain-health.ts';
import { isSynced, SyncTracker } from './sync-tracker.ts';

export interface FollowerOptions {
  readonly pollIntervalMs: number;
  /** Maximum backoff while the node fails. */
  readonly maxBackoffMs: number;
  /** How often identity and health of the node are checked again. */
  readonly statusEveryMs: number;
  readonly metrics?: WatchMetrics | undefined;
}

/** Minimum pause as a share of the interval, independent of the node's response time. */
const MIN_REST = 0.25;

/** Maximum consecutive rounds without a pause while blocks and mempool belong to different tips. */
const MAX_OUT_OF_STEP_ROUNDS = 5;

/**
 * Follows one chain: blocks in order behind a cursor, reorganisations back to their fork point, then the
 * mempool. Every chain has its own follower, so a failing node stops no other chain. A block that fails is
 * retried indefinitely and never skipped.
 */
export class ChainFollower {
  readonly #deps: ObserveDeps;
  readonly #adapter: ChainAdapter;
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  readonly #health: HealthRecord;
  readonly #syncTracker: SyncTracker;
  readonly #turns = new RecheckRoundRobin();
  readonly #earlierFinality = new FinalityCache();
  readonly #unshown: { since: number | null } = { since: null };
  #wake = new AbortController();
  #loop: Promise<void> | null = null;
  #statusAt = 0;
  #outOfStepRounds = 0;
  #hasDepths = false;
  #isQuiet = false;

  constructor(deps: ObserveDeps, adapter: ChainAdapter, options: FollowerOptions) {
    this.#deps = deps;
    this.#adapter = adapter;
    this.#options = options;
    this.#health = new HealthRecord(deps.logger, adapter, options.metrics);
    this.#syncTracker = new SyncTracker(deps.clock, adapter);
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Stops after the current step; because each step is one transaction, nothing is left half-recorded. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
  }

  /** Whether the node serves another network: its coin must be neither payable nor sent. */
  isRefused(): boolean {
    return this.#health.isRefused;
  }

  /** Polls now instead of at the next interval. */
  wake(): void {
    this.#wake.abort();
  }

  /** Time up to which blocks and mempool were seen completely, ms; null while unknown. */
  seenThrough(): number | null {
    return this.#syncTracker.seenThrough;
  }

  health(): ChainHealth {
    return this.#health.read(this.#syncTracker.seenThrough);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startedMs = performance.now();
      try {
        const more = await this.round();
        this.#health.recovered();
        if (more) continue;
      } catch (error) {
        this.#syncTracker.interrupted();
        this.#health.failed(error);
      }
      await this.#pause(performance.now() - startedMs);
    }
  }

  /**
   * Runs one round: the node's status, its blocks, its mempool, then finality. Returns true if there is more
   * to do at once. Exposed so that tests can step it.
   */
  async round(): Promise<boolean> {
    const status = await this.#checkNode();
    const startedAt = this.#deps.clock.now();
    const unwatched = this.#deps.lookAheadLeft?.(this.#adapter) ?? 0;
    if (unwatched > 0) {
      // Before the first cursor, because its position depends on the issued addresses, too.
      this.#health.waitsForLookAhead(unwatched);
      return false;
    }
    const cursor = await startCursor(this.#deps, this.#adapter);
    this.#health.startedFrom(cursor);
    await this.#recheckDepths();
    const progress = await this.#catchUp(cursor);
    if (progress !== 'caught_up') return progress === 'more';
    const view = await this.#adapter.unconfirmed();
    // A mempool view at another tip proves nothing, so the new block is read first.
    if (
      !(await recordUnconfirmed(this.#deps, this.#adapter, view, this.#syncTracker.seenThrough, this.#turns))
    ) {
      return this.#outOfStep(view.tip);
    }
    this.#outOfStepRounds = 0;
    if (this.#isCompleteView(view, status)) await this.#polled(startedAt, status, view);
    await this.#learnFinality();
    return view.left !== undefined;
  }

  /** Once, because the setting may require other depths than at the last start. */
  async #recheckDepths(): Promise<void> {
    if (this.#hasDepths) return;
    await recheckDepths(this.#deps, this.#adapter);
    this.#hasDepths = true;
  }

  async #checkNode(): Promise<NodeStatus> {
    const now = this.#deps.clock.now();
    const fresh = now - this.#statusAt < this.#options.statusEveryMs && now >= this.#statusAt;
    const { status: known, failures } = this.#health;
    if (known !== null && fresh && failures === 0 && isSynced(known)) return known;
    const status = await this.#adapter.status();
    this.#health.nodeAnswered(status);
    this.#statusAt = now;
    return status;
  }

  /**
   * Whether the round saw all that the node has. A backend that lags behind the one that returned the status
   * shows less, and so does a partially read mempool: its transactions are recorded, but their absence proves
   * nothing.
   */
  #isCompleteView(view: UnconfirmedView, status: NodeStatus): boolean {
    const isLagging = this.#adapter.sparse === undefined && view.tip.height < status.tip.height;
    // A reorganisation may have left the chain shorter for a moment, so the next round reads the status
    // again.
    if (isLagging) this.#statusAt = 0;
    const isWhole = !isLagging && view.isPartial !== true;
    if (!isWhole) {
      const { coin, mode } = this.#adapter;
      const fields = { coin, mode, tip: view.tip.height, node: status.tip.height, unread: view.left };
      this.#deps.logger.info(fields, 'node returned a partial mempool; no payment expires in this poll');
    }
    return isWhole;
  }

  /**
   * Everything the node has was read. Its status and the age of its newest block show whether the node is in
   * sync.
   */
  async #polled(startedAt: number, status: NodeStatus, { hasNews }: UnconfirmedView): Promise<void> {
    const tipTimeMs = await cursorTime(this.#deps.db, this.#adapter);
    this.#syncTracker.observed(startedAt, status, { tipTimeMs, hasNews });
    this.#noteQuiet(startedAt);
    const isStale = this.#syncTracker.isStale(tipTimeMs);
    if (isSynced(status) && !isStale) this.#health.following();
    else this.#health.behindNetwork(status, isStale ? tipTimeMs : null);
  }

  #noteQuiet(now: number): void {
    const isQuiet = this.#syncTracker.isQuiet(now);
    if (isQuiet && !this.#isQuiet) {
      const { coin, mode } = this.#adapter;
      this.#deps.logger.warn(
        { coin, mode },
        'node reports no new mempool transactions; payments expire by block times only',
      );
    }
    this.#isQuiet = isQuiet;
  }

  #catchUp(cursor: BlockRef): ReturnType<typeof catchUp> {
    const deps = {
      ...this.#deps,
      adapter: this.#adapter,
      health: this.#health,
      syncTracker: this.#syncTracker,
      unshown: this.#unshown,
      stopping: this.#stopping.signal,
    };
    return catchUp(deps, cursor);
  }

  /** Usually a new block arrived between the two reads; a node that stays out of sync is not hammered. */
  #outOfStep(tip: BlockRef): boolean {
    this.#outOfStepRounds += 1;
    const { height } = this.#health;
    const isBehind = height !== null && tip.height < height;
    if (isBehind) {
      this.#syncTracker.interrupted();
      this.#health.behindCursor(tip);
    }
    return !isBehind && this.#outOfStepRounds < MAX_OUT_OF_STEP_ROUNDS;
  }

  /** A failure here delays only payments that wait for finality: blocks are still read. */
  async #learnFinality(): Promise<void> {
    try {
      await recordFinality(this.#deps, this.#adapter, this.#earlierFinality);
      this.#health.finalityKnown();
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#health.finalityUnknown(error);
    }
  }

  /** @param spentMs duration of the round: the interval counts from start to start */
  async #pause(spentMs: number): Promise<void> {
    const { pollIntervalMs, maxBackoffMs } = this.#options;
    const { failures } = this.#health;
    const backoff = Math.min(maxBackoffMs, pollIntervalMs * 2 ** Math.min(failures, 10));
    const untilNext = Math.max(pollIntervalMs - spentMs, pollIntervalMs * MIN_REST);
    const signal = this.#wake.signal;
    await sleep(failures === 0 ? untilNext : backoff, undefined, { signal }).catch(() => undefined);
    if (signal.aborted && !this.#stopping.signal.aborted) this.#wake = new AbortController();
  }
}
