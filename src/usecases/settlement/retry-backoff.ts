import type { Clock } from '../../domain/ports.ts';

export interface RetryBackoffLimits {
  /** Things remembered; of more, the one tried longest ago is forgotten. */
  readonly most: number;
  /** Rest after a failure, doubled by each further one up to the maximum. */
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
 * What could not be done lately, as long as the process runs: each rests for a while before it is tried again,
 * so that it neither keeps others from their turn nor fills the log.
 */
export class RetryBackoff {
  readonly #clock: Clock;
  readonly #limits: RetryBackoffLimits;
  /** The one tried longest ago first. */
  readonly #byKey = new Map<string, Setback>();

  constructor(clock: Clock, limits: RetryBackoffLimits = DEFAULT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Notes a failure. True when there is something to tell: it is the first, or it failed otherwise before.
   * @param fault `node`: it need not be its own, so it counts for nothing but its place behind the others
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

  /** How often it failed by its own fault since it last went well. */
  failures(key: string): number {
    return this.#byKey.get(key)?.count ?? 0;
  }

  isResting(key: string): boolean {
    const setback = this.#byKey.get(key);
    if (setback === undefined) return false;
    const restedMs = this.#clock.now() - setback.at;
    // What is dated later is of a clock since set back.
    return restedMs >= 0 && restedMs < setback.restMs;
  }

  /** All that failed lately, resting or not. */
  all(): string[] {
    return [...this.#byKey.keys()];
  }

  /** Those that have rested, the one tried longest ago first. */
  retriable(): string[] {
    return this.all().filter((key) => !this.isResting(key));
  }
}
