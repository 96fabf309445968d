import { setTimeout as delay } from 'node:timers/promises';
import { ChainError } from '../../domain/chain.ts';

/** Longest wait for a slot; a request that would wait longer fails. */
const MAX_WAIT_MS = 30_000;
/** Longest Retry-After that is respected; the node is queried again after it in any case. */
const MAX_PAUSE_MS = 10_000;

/** Limits the rate of calls to one node, and stops them during a pause that it requested (backoff). */
export class RateLimit {
  readonly #gapMs: number;
  #freeAt = 0;
  #pausedUntil = 0;

  /** @param callsPerSecond 0 for no limit */
  constructor(callsPerSecond: number) {
    this.#gapMs = callsPerSecond === 0 ? 0 : 1000 / callsPerSecond;
  }

  /** Whether a pause that the node requested is in force. */
  get isPaused(): boolean {
    return this.#pausedUntil > performance.now();
  }

  /** Stops all calls for the pause that the node requested. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + Math.min(ms, MAX_PAUSE_MS));
  }

  /** Waits until this many calls may be sent. @throws {ChainError} when the wait would be too long. */
  async turn(calls: number, signal?: AbortSignal): Promise<void> {
    const now = performance.now();
    const startsAt = Math.max(now, this.#freeAt, this.#pausedUntil);
    if (startsAt - now > MAX_WAIT_MS) {
      throw new ChainError('unavailable', 'too many requests are queued for the rate limit of this node');
    }
    this.#freeAt = Math.max(now, this.#freeAt) + calls * this.#gapMs;
    if (startsAt > now) await delay(startsAt - now, undefined, signal === undefined ? {} : { signal });
  }
}

/** Milliseconds of a Retry-After header (seconds or a date, RFC 9110); 0 without a usable one. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
