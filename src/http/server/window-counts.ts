import type { IncrementResponse, Store } from 'express-rate-limit';

export const WINDOW_MS = 60_000;
/** Expired windows are removed above this number, so that memory is bounded by the clients of a minute. */
const SWEEP_FROM = 1_000;

interface Window {
  hits: number;
  readonly endsMs: number;
}

interface Count extends IncrementResponse {
  readonly resetTime: Date;
  readonly retryAfterMs: number;
}

/**
 * Counts per key in windows of a minute that begin with the first hit. Uses the monotonic clock: with the
 * store of express-rate-limit, a wall clock that is set back would block a client for as long as the step.
 */
export class WindowCounts implements Store {
  readonly localKeys = true;
  readonly #windows = new Map<string, Window>();
  #sweepAt = SWEEP_FROM;

  /** Number of stored clients. */
  get size(): number {
    return this.#windows.size;
  }

  increment(key: string): Count {
    const now = performance.now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endsMs <= now) {
      window = { hits: 0, endsMs: now + WINDOW_MS };
      this.#sweep(now);
      this.#windows.set(key, window);
    }
    window.hits += 1;
    const retryAfterMs = Math.max(1, Math.ceil(window.endsMs - now));
    return { totalHits: window.hits, retryAfterMs, resetTime: new Date(Date.now() + retryAfterMs) };
  }

  decrement(key: string): void {
    const window = this.#windows.get(key);
    if (window !== undefined && window.hits > 0) window.hits -= 1;
  }

  resetKey(key: string): void {
    this.#windows.delete(key);
  }

  /** Rare enough that its amortised cost per hit is constant. */
  #sweep(now: number): void {
    if (this.#windows.size < this.#sweepAt) return;
    for (const [key, { endsMs }] of this.#windows) if (endsMs <= now) this.#windows.delete(key);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#windows.size);
  }
}
