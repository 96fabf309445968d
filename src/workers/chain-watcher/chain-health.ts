import {
  ChainError,
  type BlockRef,
  type ChainAdapter,
  type ChainAlarm,
  type ChainErrorKind,
  type NodeStatus,
  type SetAsideTransaction,
} from '../../domain/chain.ts';
import type { FollowedChain } from '../../domain/coin-readiness.ts';
import type { ChainId } from '../../domain/coins.ts';
import { assertNever } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';

/** Health of one chain, for the operator. */
export interface ChainHealth extends FollowedChain {
  readonly lastError: string | null;
  readonly lastSeenAt: number | null;
  readonly nodeVersion: string | null;
  readonly nodeWarnings: string | null;
  /** Accounts whose balance the node's history does not explain; null if balances are not watched. */
  readonly unexplainedAccounts: number | null;
  readonly unread: UnreadHealth;
  /** Signs of a mismatch between node, chain and this program. */
  readonly alarms: readonly ChainAlarm[];
}

/** Transactions of the chain that could not be parsed and are retried; the money in them is not credited. */
export interface UnreadHealth {
  readonly count: number;
  /** The oldest of them. */
  readonly transactions: readonly (Pick<
    SetAsideTransaction,
    'txid' | 'height' | 'reason' | 'attempts' | 'firstSeenAt' | 'retryAt'
  > & {
    /** The watched address whose history contains it; null if blocks are read as a whole. */
    readonly account: string | null;
  })[];
}

/** Maximum unread transactions named in the health. */
const MAX_NAMED = 20;

/** Metrics of following a chain. */
export interface WatchMetrics {
  reorganised(chain: ChainId, depth: number): void;
  /** Accounts of the last poll; null if none are polled. */
  accountsWatched(chain: ChainId): number | null;
}

type Progress = Pick<ChainHealth, 'state' | 'height' | 'lastError'>;

/**
 * Steps above the last tip that still count as following, because blocks that just arrived are being
 * recorded.
 */
const EVERYDAY_STEPS = 3;

/**
 * Keeps the state of following one chain and logs its changes: one line when a problem starts, changes or
 * ends, not one per attempt.
 */
export class HealthRecord {
  readonly #logger: Logger;
  readonly #chain: ChainId;
  readonly #metrics: WatchMetrics | undefined;
  #status: NodeStatus | null = null;
  #failures = 0;
  #errorKind: ChainErrorKind | null = null;
  /** The reason why finality is unknown; the chain is followed nevertheless. */
  #finalityError: string | null = null;
  #progress: Progress = { state: 'starting', height: null, lastError: null };
  /** Steps recorded since blocks and mempool were last seen completely. */
  #steps = 0;
  /** The logged reason why the node is behind its network or the ledger. Null while it is not. */
  #behindBecause: string | null = null;

  constructor(logger: Logger, chain: Pick<ChainAdapter, 'coin' | 'mode'>, metrics?: WatchMetrics) {
    this.#logger = logger;
    this.#metrics = metrics;
    this.#chain = { coin: chain.coin, mode: chain.mode };
  }

  /** The node's last status; null before the first. */
  get status(): NodeStatus | null {
    return this.#status;
  }

  /** Height scanned so far; null before first contact. */
  get height(): number | null {
    return this.#progress.height;
  }

  /** Consecutive failed rounds. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether the node serves another network. */
  get isRefused(): boolean {
    return this.#progress.state === 'wrong_chain';
  }

  /** @param lastSeenAt time up to which the chain was seen completely, ms */
  read(lastSeenAt: number | null): ChainHealth {
    const { height, state } = this.#progress;
    const status = this.#status;
    const known = status === null ? null : Math.max(status.headersHeight, status.tip.height);
    return {
      ...this.#chain,
      ...this.#progressWithFinality(),
      errorKind: this.#errorKind,
      lag: height === null || known === null ? null : Math.max(0, known - height),
      lastSeenAt,
      nodeVersion: status?.version ?? null,
      nodeWarnings: joined(status?.warnings ?? null, state === 'behind' ? this.#behindBecause : null),
      unexplainedAccounts: status?.unexplained?.accounts ?? null,
      unread: unreadHealth(status?.unread ?? []),
      alarms: [...new Set([...(status?.alarms ?? []), ...listAlarms(this.#errorKind)])],
    };
  }

  nodeAnswered(status: NodeStatus): void {
    if (status.warnings !== null && status.warnings !== this.#status?.warnings) {
      this.#logger.warn({ ...this.#chain, warnings: status.warnings }, 'node reports a warning');
    }
    this.#status = status;
  }

  startedFrom({ height }: BlockRef): void {
    this.#progress = { ...this.#progress, height };
  }

  /**
   * Records that blocks up to this one are recorded, which may be above the node's last known tip. While
   * these are few, the chain stays `following`, because otherwise every block would be reported as a problem
   * until the mempool was read, too.
   */
  recorded(cursor: BlockRef): void {
    this.#steps += 1;
    const isEveryday = this.#progress.state === 'following' && this.#steps <= EVERYDAY_STEPS;
    const state = isEveryday ? 'following' : 'catching_up';
    this.#progress = { ...this.#progress, height: cursor.height, state };
    const status = this.#status;
    if (status !== null && cursor.height > status.tip.height) this.#status = { ...status, tip: cursor };
  }

  rewound({ height }: BlockRef): void {
    this.#metrics?.reorganised(this.#chain, Math.max(1, (this.#progress.height ?? height) - height));
    this.#progress = { ...this.#progress, height, state: 'catching_up' };
  }

  following(): void {
    this.#steps = 0;
    this.#behindBecause = null;
    this.#progress = { ...this.#progress, state: 'following' };
  }

  /** The node's chain ends below the scanned height. */
  behindCursor(tip: BlockRef): void {
    this.#behind(
      { cursor: this.#progress.height, node: tip.height },
      'the node is behind what was already scanned; waiting for it',
    );
  }

  /**
   * Addresses that may have been issued before a restore are not watched yet; blocks are read once they are.
   */
  waitsForLookAhead(addresses: number): void {
    this.#behind(
      { addresses },
      'addresses that may have been given out before the restore are being watched; blocks are read after that, and no payment expires',
    );
  }

  /** @param staleTipMs the time of its newest block if that is too old for its network */
  behindNetwork({ peers, syncing }: NodeStatus, staleTipMs: number | null): void {
    const newestBlock = staleTipMs === null ? {} : { newestBlock: new Date(staleTipMs).toISOString() };
    this.#behind(
      { peers, syncing, ...newestBlock },
      'the node is not in step with its network; no payment expires until it is',
    );
  }

  finalityKnown(): void {
    this.#finalityError = null;
  }

  finalityUnknown(error: ChainError): void {
    if (this.#finalityError !== error.message) {
      this.#logger.error(
        { ...this.#chain, err: error },
        'reading the finalized block failed; payments that require finality wait',
      );
    }
    this.#finalityError = error.message;
  }

  recovered(): void {
    if (this.#failures > 0) this.#logger.info(this.#chain, 'node available again');
    this.#failures = 0;
    this.#errorKind = null;
    if (this.#progress.lastError !== null) this.#progress = { ...this.#progress, lastError: null };
  }

  failed(error: unknown): void {
    this.#errorKind = error instanceof ChainError ? error.kind : null;
    const kind = this.#errorKind ?? 'internal';
    const message = this.#words(error);
    if (this.#progress.lastError !== message) {
      this.#logger.error(
        { ...this.#chain, kind, ...this.#trouble(error, message) },
        'reading new blocks and transactions of a chain failed; will retry',
      );
    }
    this.#failures += 1;
    const state = kind === 'wrong_chain' ? 'wrong_chain' : 'error';
    this.#progress = { ...this.#progress, state, lastError: message };
  }

  /** Describes the failure, with the remedy where that is not obvious. */
  #words(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof ChainError) || !error.isRateLimited) return message;
    const accounts = this.#metrics?.accountsWatched(this.#chain) ?? null;
    const load = accounts === null ? '' : ` ${accounts} addresses of orders are looked at each time;`;
    return `${message}:${load} use a node of your own or a larger plan, or raise TILLD_POLL_INTERVAL`;
  }

  /** Log fields of a failure: for an unreachable node the message suffices; an unexpected error needs its stack trace. */
  #trouble(error: unknown, message: string): object {
    const { coin, mode } = this.#chain;
    if (this.#errorKind !== 'unavailable' || mode !== 'live') return { err: error };
    return { error: message, setting: `TILLD_${coin}_RPC_URL` };
  }

  #behind(why: Readonly<Record<string, unknown>>, message: string): void {
    // A node that catches up block by block is one warning, not one per block.
    if (this.#behindBecause === null) this.#logger.warn({ ...this.#chain, ...why }, message);
    this.#behindBecause = message;
    this.#progress = { ...this.#progress, state: 'behind' };
  }

  #progressWithFinality(): Progress {
    const progress = this.#progress;
    if (this.#finalityError === null || progress.lastError !== null) return progress;
    const state = progress.state === 'following' ? 'error' : progress.state;
    return { ...progress, state, lastError: this.#finalityError };
  }
}

function unreadHealth(unread: readonly SetAsideTransaction[]): UnreadHealth {
  const transactions = unread.slice(0, MAX_NAMED).map((each) => {
    const { txid, height, watchKey: account, reason, attempts, firstSeenAt, retryAt } = each;
    return { txid, height, account, reason, attempts, firstSeenAt, retryAt };
  });
  return { count: unread.length, transactions };
}

function joined(...warnings: readonly (string | null)[]): string | null {
  const all = warnings.filter((warning) => warning !== null);
  return all.length === 0 ? null : all.join('; ');
}

/** Alarms raised by a failure to follow the chain; an outage raises none. */
function listAlarms(kind: ChainErrorKind | null): readonly ChainAlarm[] {
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
