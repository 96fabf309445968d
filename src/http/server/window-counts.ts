import type { IncrementResponse, Store } from 'express-rate-limit';

export const WINDOW_MS = 60_000;
/** Windows that are over are removed once there are so many, so that memory follows the clients of a minute. */
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
 * Counts per key in windows of a minute that begin with the first hit. On the monotonic clock: with the store of
 * express-rate-limit, a wall clock that is set back keeps a client out for as long as the step.
 */
export class WindowCounts implements Store {
  readonly localKeys = true;
  readonly #windows = new Map<string, Window>();
  #sweepAt = SWEEP_FROM;

  /** Clients that are remembered. */
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

  /** Rare enough that its cost per hit is constant. */
  #sweep(now: number): void {
    if (this.#windows.size < this.#sweepAt) return;
    for (const [key, { endsMs }] of this.#windows) if (endsMs <= now) this.#windows.delete(key);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#windows.size);
  }
}
