import type { Clock } from '../../../domain/ports.ts';

/** Maximum keys per throttle. Beyond that, the least recently used one is evicted. */
const MAX_KEYS = 20_000;

/** Keeps the most recently used entries. */
class RecentEntries<T> {
  readonly #entries = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= MAX_KEYS) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

export interface BackoffPolicy {
  /** Number of failures without a wait. */
  readonly free: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** Failures are forgotten after this long without another. */
  readonly forgetMs: number;
}

/**
 * Exponential backoff: doubles the wait with each failure of a key. Attempts are counted in advance, so that
 * parallel ones gain nothing.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #policy: BackoffPolicy;
  readonly #entries = new RecentEntries<{ failures: number; at: number; opensAt: number }>();

  constructor(clock: Clock, policy: BackoffPolicy) {
    this.#clock = clock;
    this.#policy = policy;
  }

  /**
   * Counts an attempt as failed until it is released. @returns 0 when it may proceed, else the ms to wait;
   * then nothing was counted.
   */
  take(key: string): number {
    const now = this.#clock.now();
    const { longestWaitMs, forgetMs } = this.#policy;
    const known = this.#entries.get(key);
    const before = known !== undefined && Math.abs(now - known.at) <= forgetMs ? known : null;
    const waitMs = before === null ? 0 : Math.min(before.opensAt - now, longestWaitMs);
    if (before !== null && waitMs > 0) {
      // Stored, so that a clock that was set back makes no caller wait longer than this.
      this.#entries.set(key, { ...before, opensAt: now + waitMs });
      return waitMs;
    }
    const failures = (before?.failures ?? 0) + 1;
    this.#entries.set(key, { failures, at: now, opensAt: now + this.#waitAfter(failures) });
    return 0;
  }

  /** Uncounts the attempt, because it says nothing about the caller. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.set(key, { ...entry, failures: Math.max(0, entry.failures - 1), opensAt: 0 });
  }

  clear(key: string): void {
    this.#entries.delete(key);
  }

  #waitAfter(failures: number): number {
    const { free, firstWaitMs, longestWaitMs } = this.#policy;
    if (failures < free) return 0;
    return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - free, 40));
  }
}

export interface TokenBucketPolicy {
  readonly burst: number;
  /** Interval in which one more attempt is earned. */
  readonly everyMs: number;
}

/**
 * A budget of failures per key that refills steadily (the generic cell rate algorithm): it delays, and never
 * blocks for good.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #policy: TokenBucketPolicy;
  /** When the budget will be full again. */
  readonly #fullAt = new RecentEntries<number>();

  constructor(clock: Clock, policy: TokenBucketPolicy) {
    this.#clock = clock;
    this.#policy = policy;
  }

  /**
   * Counts an attempt as failed until it is released. @returns 0 when it may proceed, else the ms to wait;
   * then nothing was counted.
   */
  take(key: string): number {
    const now = this.#clock.now();
    const { burst, everyMs } = this.#policy;
    const fullAt = Math.min(Math.max(this.#fullAt.get(key) ?? now, now), now + burst * everyMs);
    const waitMs = Math.max(0, fullAt + everyMs - now - burst * everyMs);
    this.#fullAt.set(key, waitMs > 0 ? fullAt : fullAt + everyMs);
    return waitMs;
  }

  release(key: string): void {
    const fullAt = this.#fullAt.get(key);
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#policy.everyMs);
  }

  clear(key: string): void {
    this.#fullAt.delete(key);
  }
}
