const WINDOW_MS = 60_000;

/** Rate limit of checks per merchant and minute, so that this server cannot be used to flood another. */
export class CheckQuota {
  readonly #perMinute: number;
  readonly #now: () => number;
  #windowStart = 0;
  #counts = new Map<string, number>();

  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Counts one check and returns whether it is allowed. */
  take(merchantId: string): boolean {
    const now = this.#now();
    if (Math.abs(now - this.#windowStart) >= WINDOW_MS) {
      this.#windowStart = now;
      this.#counts = new Map();
    }
    const count = this.#counts.get(merchantId) ?? 0;
    if (count >= this.#perMinute) return false;
    this.#counts.set(merchantId, count + 1);
    return true;
  }
}
