import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChainError,
  type BlockRef,
  type ChainAdapter,
  type ChainBlock,
  type ChainAlarm,
  type ChainErrorKind,
  type NodeStatus,
} from '../domain/chain.ts';
import { assertNever } from '../domain/errors.ts';
import type { Coin, Mode } from '../domain/coins.ts';
import { EarlierFinality } from '../usecases/chain/earlier-finality.ts';
import type { ObserveDeps } from '../usecases/chain/observe-deps.ts';
import { recordFinality } from '../usecases/chain/record-finality.ts';
import { RecheckTurns } from '../usecases/chain/recheck-turns.ts';
import { recordBlock } from '../usecases/chain/record-block.ts';
import { recordUnconfirmed } from '../usecases/chain/record-unconfirmed.ts';
import { rewindChain } from '../usecases/chain/rewind-chain.ts';
import { startCursor } from '../usecases/chain/start-cursor.ts';
import { findForkPoint } from './fork-point.ts';
import { isInStep, UnbrokenWatch } from './unbroken-watch.ts';

export interface FollowerOptions {
  readonly pollIntervalMs: number;
  /** Longest pause between attempts while the node fails. */
  readonly maxBackoffMs: number;
  /** How often identity and health of the node are asked again. */
  readonly statusEveryMs: number;
}

/** What an operator wants to know about one chain. */
export interface ChainHealth {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly state: 'starting' | 'following' | 'catching_up' | 'behind' | 'wrong_chain' | 'error';
  /** Height scanned so far; null before first contact. */
  readonly height: number | null;
  /** Blocks the node knows and we have not scanned; null when unknown. */
  readonly lag: number | null;
  readonly lastError: string | null;
  readonly lastSeenAt: number | null;
  readonly nodeVersion: string | null;
  readonly nodeWarnings: string | null;
  /** Signs that node, chain and this program no longer fit together. */
  readonly alarms: readonly ChainAlarm[];
}

/** Blocks recorded per round, so that the mempool is looked at now and then during a long catch-up. */
const BLOCKS_PER_ROUND = 500;

/** Part of the interval for which a node is left alone, however long it took to answer. */
const MIN_REST = 0.25;

/** Rounds in a row without a pause in which blocks and mempool belong to different tips. */
const MAX_OUT_OF_STEP_ROUNDS = 5;

/**
 * Follows one chain: blocks in order behind a cursor, reorgs back to their fork point, then the
 * mempool. Every chain has its own follower, so a node in trouble stops nobody else. A block that
 * fails is tried again for ever and never skipped.
 */
export class ChainFollower {
  readonly #deps: ObserveDeps;
  readonly #adapter: ChainAdapter;
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #loop: Promise<void> | null = null;
  #status: NodeStatus | null = null;
  #statusAt = 0;
  readonly #watch = new UnbrokenWatch();
  readonly #turns = new RecheckTurns();
  readonly #earlierFinality = new EarlierFinality();
  #failures = 0;
  #errorKind: ChainErrorKind | null = null;
  #outOfStepRounds = 0;
  /** Why it is not known what the network calls final; the chain is followed nevertheless. */
  #finalityError: string | null = null;
  #health: Pick<ChainHealth, 'state' | 'height' | 'lastError'> = {
    state: 'starting',
    height: null,
    lastError: null,
  };

  constructor(deps: ObserveDeps, adapter: ChainAdapter, options: FollowerOptions) {
    this.#deps = deps;
    this.#adapter = adapter;
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Stops after the step in hand; nothing half-recorded remains, since each step is one transaction. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await this.#loop;
  }

  /** The node was found to serve another network: its coin must be neither offered nor sent. */
  isRefused(): boolean {
    return this.#health.state === 'wrong_chain';
  }

  /** Looks again now instead of at the next poll. */
  wake(): void {
    this.#wake.abort();
  }

  /** Time up to which blocks and mempool were seen completely, ms; null while that is known of no time. */
  seenThrough(): number | null {
    return this.#watch.seenThrough;
  }

  health(): ChainHealth {
    const { height } = this.#health;
    const known =
      this.#status === null ? null : Math.max(this.#status.headersHeight, this.#status.tip.height);
    return {
      coin: this.#adapter.coin,
      mode: this.#adapter.mode,
      ...this.#withFinality(this.#health),
      lag: height === null || known === null ? null : Math.max(0, known - height),
      lastSeenAt: this.#watch.seenThrough,
      nodeVersion: this.#status?.version ?? null,
      nodeWarnings: this.#status?.warnings ?? null,
      alarms: [...new Set([...(this.#status?.alarms ?? []), ...alarmsOf(this.#errorKind)])],
    };
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startedMs = performance.now();
      try {
        const more = await this.round();
        this.#recovered();
        if (more) continue;
      } catch (error) {
        this.#failed(error);
      }
      await this.#pause(performance.now() - startedMs);
    }
  }

  /** One look at the chain; true when there is more to do at once. Exposed so that tests can step it. */
  async round(): Promise<boolean> {
    const status = await this.#checkNode();
    const startedAt = this.#deps.clock.now();
    const cursor = await startCursor(this.#deps, this.#adapter);
    this.#health = { ...this.#health, height: cursor.height };
    const progress = await this.#catchUp(cursor);
    if (progress !== 'caught_up') return progress === 'more';
    const view = await this.#adapter.unconfirmed();
    // A view of another tip says nothing safe: take the new block first.
    if (!(await recordUnconfirmed(this.#deps, this.#adapter, view, this.#watch.seenThrough, this.#turns))) {
      return this.#outOfStep(view.tip);
    }
    this.#outOfStepRounds = 0;
    this.#watch.looked(startedAt, status);
    if (isInStep(status)) this.#health = { ...this.#health, state: 'following' };
    else this.#nowBehindNetwork(status);
    await this.#learnFinality();
    return false;
  }

  /** Trouble here keeps payments waiting that need the answer, and nothing else: blocks are still read. */
  async #learnFinality(): Promise<void> {
    try {
      await recordFinality(this.#deps, this.#adapter, this.#earlierFinality);
      this.#finalityError = null;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (this.#finalityError !== error.message) {
        this.#deps.logger.error({ ...this.#chain(), err: error }, 'could not learn which blocks are final');
      }
      this.#finalityError = error.message;
    }
  }

  #withFinality(health: Pick<ChainHealth, 'state' | 'height' | 'lastError'>): typeof health {
    if (this.#finalityError === null || health.lastError !== null) return health;
    const state = health.state === 'following' ? 'error' : health.state;
    return { ...health, state, lastError: this.#finalityError };
  }

  #nowBehindNetwork({ peers, syncing }: NodeStatus): void {
    if (this.#health.state !== 'behind') {
      this.#deps.logger.warn(
        { ...this.#chain(), peers, syncing },
        'the node is not in step with its network; no payment ends until it is',
      );
    }
    this.#health = { ...this.#health, state: 'behind' };
  }

  /** Usually a new block came between the two looks; a node that stays out of step is not hammered. */
  #outOfStep(tip: BlockRef): boolean {
    this.#outOfStepRounds += 1;
    const isBehind = this.#health.height !== null && tip.height < this.#health.height;
    if (isBehind) this.#nowBehind(tip);
    return !isBehind && this.#outOfStepRounds < MAX_OUT_OF_STEP_ROUNDS;
  }

  #nowBehind(tip: BlockRef): void {
    this.#watch.broken();
    if (this.#health.state !== 'behind') {
      this.#deps.logger.warn(
        { ...this.#chain(), cursor: this.#health.height, node: tip.height },
        'the node is behind what was already scanned; waiting for it',
      );
    }
    this.#health = { ...this.#health, state: 'behind' };
  }

  async #checkNode(): Promise<NodeStatus> {
    const now = this.#deps.clock.now();
    const fresh = now - this.#statusAt < this.#options.statusEveryMs && now >= this.#statusAt;
    const known = this.#status;
    if (known !== null && fresh && this.#failures === 0 && isInStep(known)) return known;
    const status = await this.#adapter.status();
    if (status.warnings !== null && status.warnings !== this.#status?.warnings) {
      this.#deps.logger.warn({ ...this.#chain(), warnings: status.warnings }, 'the node warns');
    }
    this.#status = status;
    this.#statusAt = now;
    return status;
  }

  /** Records blocks up to the node's tip, at most a round's worth. */
  async #catchUp(from: BlockRef): Promise<'caught_up' | 'more' | 'behind'> {
    let cursor = from;
    const placed = await this.#onBestChain(cursor);
    if (placed === 'behind') return 'behind';
    if (placed === 'rewound') return 'more';
    for (let done = 0; done < BLOCKS_PER_ROUND;) {
      if (this.#stopping.signal.aborted) return 'more';
      const blocks = await this.#blocksAfter(cursor);
      if (blocks.length === 0) return 'caught_up';
      for (const [block, below] of steps(blocks)) {
        const { seenThrough } = this.#watch;
        // Not the child of our block (the next round finds the fork), or to be read again.
        if (!(await recordBlock(this.#deps, this.#chain(), block, seenThrough, below))) return 'more';
        cursor = { height: block.height, hash: block.hash };
        this.#health = { ...this.#health, height: cursor.height, state: 'catching_up' };
        this.#noteTip(cursor);
      }
      done += blocks.length;
    }
    return 'more';
  }

  /** The next blocks in the way that the chain is best read; none at its tip. */
  async #blocksAfter(cursor: BlockRef): Promise<readonly ChainBlock[]> {
    const adapter = this.#adapter;
    if (adapter.blocksFrom !== undefined) return adapter.blocksFrom(cursor.height + 1);
    const block =
      adapter.blockAfter === undefined
        ? await adapter.blockAt(cursor.height + 1)
        : await adapter.blockAfter(cursor);
    return block === null ? [] : [block];
  }

  /** Makes sure the cursor's block is still in the node's best chain, and goes back if it is not. */
  async #onBestChain(cursor: BlockRef): Promise<'yes' | 'behind' | 'rewound'> {
    const hash = await this.#adapter.hashAt(cursor.height);
    if (hash === cursor.hash) {
      return 'yes';
    }
    const fork = await findForkPoint(this.#deps.db, this.#adapter, cursor);
    if (fork.kind === 'behind') {
      this.#nowBehind(fork.tip);
      return 'behind';
    }
    await rewindChain(this.#deps, this.#chain(), fork.at);
    this.#health = { ...this.#health, height: fork.at.height, state: 'catching_up' };
    return 'rewound';
  }

  #noteTip(cursor: BlockRef): void {
    const status = this.#status;
    if (status !== null && cursor.height > status.tip.height) this.#status = { ...status, tip: cursor };
  }

  #recovered(): void {
    if (this.#failures > 0) this.#deps.logger.info(this.#chain(), 'the node answers again');
    this.#failures = 0;
    this.#errorKind = null;
    if (this.#health.lastError !== null) this.#health = { ...this.#health, lastError: null };
  }

  #failed(error: unknown): void {
    this.#errorKind = error instanceof ChainError ? error.kind : null;
    const kind = this.#errorKind ?? 'internal';
    const message = error instanceof Error ? error.message : String(error);
    // One line when trouble starts or changes, not one per attempt.
    if (this.#health.lastError !== message) {
      this.#deps.logger.error(
        { ...this.#chain(), kind, err: error },
        'could not follow the chain; trying again',
      );
    }
    this.#failures += 1;
    this.#watch.broken();
    const state = kind === 'wrong_chain' ? 'wrong_chain' : 'error';
    this.#health = { ...this.#health, state, lastError: message };
  }

  /** @param spentMs how long the look took: the interval is from one's start to the next one's */
  async #pause(spentMs: number): Promise<void> {
    const { pollIntervalMs, maxBackoffMs } = this.#options;
    const backoff = Math.min(maxBackoffMs, pollIntervalMs * 2 ** Math.min(this.#failures, 10));
    const untilNext = Math.max(pollIntervalMs - spentMs, pollIntervalMs * MIN_REST);
    const signal = this.#wake.signal;
    await sleep(this.#failures === 0 ? untilNext : backoff, undefined, { signal }).catch(() => undefined);
    if (signal.aborted && !this.#stopping.signal.aborted) this.#wake = new AbortController();
  }

  #chain(): Pick<ChainAdapter, 'coin' | 'mode'> {
    return { coin: this.#adapter.coin, mode: this.#adapter.mode };
  }
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

/** What a failure to follow the chain is a sign of; an outage is none. */
function alarmsOf(kind: ChainErrorKind | null): readonly ChainAlarm[] {
  switch (kind) {
    case null:
    case 'unavailable':
      return [];
    case 'bad_answer':
      return ['unreadable'];
    case 'wrong_chain':
    case 'pruned':
    case 'unknown_version':
      return [kind];
    default:
      return assertNever(kind);
  }
}
