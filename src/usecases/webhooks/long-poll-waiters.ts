import { AppError } from '../../domain/errors.ts';

interface WaiterLimits {
  /** Maximum for all merchants together. */
  readonly total: number;
  /**
   * From this number on, a merchant may have one each, so that a few merchants with many do not exclude the
   * others.
   */
  readonly crowded: number;
  readonly perMerchant: number;
}

const LIMITS: WaiterLimits = { total: 4_000, crowded: 1_000, perMerchant: 32 };
const RETRY_AFTER_MS = 1_000;

/**
 * Requests that wait for a merchant's next event, bounded in number. They carry no content: a woken request
 * reads again.
 */
export class LongPollWaiters {
  readonly #limits: WaiterLimits;
  readonly #byMerchant = new Map<string, Set<EventWaiter>>();
  #count = 0;
  #isClosed = false;

  constructor(limits: WaiterLimits = LIMITS) {
    this.#limits = limits;
  }

  /** How many requests are waiting. */
  get count(): number {
    return this.#count;
  }

  /**
   * Wakes the requests that wait for an event of this merchant. Call it after the commit; it never throws.
   */
  readonly wake = (merchantId: string): void => {
    for (const waiter of this.#byMerchant.get(merchantId) ?? []) waiter.wake();
  };

  /**
   * Starts to wait; ended by the signal, the timeout or close(). Leave it when done.
   * @throws {AppError} RATE_LIMITED when too many wait.
   */
  join(merchantId: string, until: { readonly timeoutMs: number; readonly signal: AbortSignal }): EventWaiter {
    const waiters = this.#byMerchant.get(merchantId) ?? new Set();
    const share = this.#count >= this.#limits.crowded ? 1 : this.#limits.perMerchant;
    if (this.#count >= this.#limits.total || waiters.size >= share) {
      const message = 'Too many requests wait for events: use one for all events of the shop';
      throw new AppError('RATE_LIMITED', message, { retryAfterMs: RETRY_AFTER_MS });
    }
    const waiter = new EventWaiter(until, () => this.#leave(merchantId, waiter));
    this.#byMerchant.set(merchantId, waiters.add(waiter));
    this.#count += 1;
    if (this.#isClosed) waiter.end();
    return waiter;
  }

  /** Ends all waits for good, because open ones would delay the shutdown of the daemon. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#byMerchant.values()) for (const waiter of waiters) waiter.end();
  }

  #leave(merchantId: string, waiter: EventWaiter): void {
    const waiters = this.#byMerchant.get(merchantId);
    if (waiters?.delete(waiter) !== true) return;
    this.#count -= 1;
    if (waiters.size === 0) this.#byMerchant.delete(merchantId);
  }
}

/** One waiting request. */
export class EventWaiter {
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onLeave: () => void;
  #isWoken = false;
  #hasEnded = false;
  #resume: (() => void) | null = null;

  constructor(until: { readonly timeoutMs: number; readonly signal: AbortSignal }, onLeave: () => void) {
    this.#signal = until.signal;
    this.#onLeave = onLeave;
    this.#timer = setTimeout(this.end, until.timeoutMs);
    if (until.signal.aborted) this.#hasEnded = true;
    else until.signal.addEventListener('abort', this.end, { once: true });
  }

  /** Waits for the next event since the last call; false once the wait has ended. */
  async next(): Promise<boolean> {
    if (!this.#isWoken && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#isWoken = false;
    return !this.#hasEnded;
  }

  wake(): void {
    this.#isWoken = true;
    this.#resume?.();
  }

  readonly end = (): void => {
    this.#hasEnded = true;
    this.#resume?.();
  };

  leave(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.end);
    this.#onLeave();
  }
}
