import type { Clock } from '../../../domain/ports.ts';

export interface RetryBackoffLimits {
  /** Maximum number of entries; beyond it the least recently tried is evicted. */
  readonly most: number;
  /** Backoff after a failure, doubled by each further one up to the maximum. */
  readonly restMs: number;
  readonly maxRestMs: number;
}

interface Setback {
  readonly count: number;
  readonly reason: string;
  readonly at: number;
  readonly restMs: number;
}

const DEFAULT_LIMITS: RetryBackoffLimits = { most: 5_000, restMs: 60_000, maxRestMs: 3_600_000 };

/**
 * In-memory backoff of failed attempts, by key: each waits before it is retried, so that it neither delays the others
 * nor floods the log.
 */
export class RetryBackoff {
  readonly #clock: Clock;
  readonly #limits: RetryBackoffLimits;
  /** In order of the last attempt, oldest first. */
  readonly #byKey = new Map<string, Setback>();

  constructor(clock: Clock, limits: RetryBackoffLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Records a failure. True when it is worth logging: the first, or for another reason than the last.
   * @param fault `node`: maybe not its own fault, so it adds no backoff and only moves to the end of the order
   */
  recordFailure(key: string, reason: string, fault: 'own' | 'node' = 'own'): boolean {
    const { most, restMs, maxRestMs } = this.#limits;
    const before = this.#byKey.get(key);
    const count = (before?.count ?? 0) + (fault === 'own' ? 1 : 0);
    this.#byKey.delete(key);
    this.#byKey.set(key, {
      count,
      reason,
      at: this.#clock.now(),
      restMs: fault === 'own' ? Math.min(restMs * 2 ** Math.min(count - 1, 30), maxRestMs) : 0,
    });
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= most) break;
      this.#byKey.delete(oldest);
    }
    return before?.reason !== reason;
  }

  recordSuccess(key: string): void {
    this.#byKey.delete(key);
  }

  /** Number of failures of its own since the last success. */
  failures(key: string): number {
    return this.#byKey.get(key)?.count ?? 0;
  }

  isResting(key: string): boolean {
    const setback = this.#byKey.get(key);
    if (setback === undefined) return false;
    const restedMs = this.#clock.now() - setback.at;
    // A timestamp in the future means that the clock has been set back since.
    return restedMs >= 0 && restedMs < setback.restMs;
  }

  /** All keys with a recent failure, in backoff or not. */
  all(): string[] {
    return [...this.#byKey.keys()];
  }

  /** Keys whose backoff has elapsed, least recently tried first. */
  retriable(): string[] {
    return this.all().filter((key) => !this.isResting(key));
  }
}
