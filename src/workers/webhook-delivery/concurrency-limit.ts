import { isDeclaredKey, originOfEndpoint } from '../../store/webhooks/endpoint-key.ts';

const MAX_REMEMBERED = 1_000;

/**
 * Bounds concurrent attempts: in total, per endpoint, and for endpoints whose last attempt had no response,
 * which share half of the slots and get one attempt at a time. Endpoints not known to respond share a quarter
 * per origin, so that many URLs of one dead host use no more; but a declared endpoint (a merchant
 * has few) may always make a first attempt. Neither one dead endpoint nor many of them therefore delay
 * deliveries to the others.
 */
export class ConcurrencyLimit {
  readonly #total: number;
  readonly #perEndpoint: number;
  readonly #silentTotal: number;
  readonly #unprovenPerOrigin: number;
  readonly #running = new Map<string, number>();
  #taken = 0;
  /** Endpoints that did not respond last time, and endpoints that did, oldest first; bounded. */
  readonly #silent = new Set<string>();
  readonly #alive = new Set<string>();

  constructor(limits: { total: number; perEndpoint: number }) {
    this.#total = limits.total;
    this.#perEndpoint = limits.perEndpoint;
    this.#silentTotal = Math.max(1, Math.floor(limits.total / 2));
    this.#unprovenPerOrigin = Math.max(limits.perEndpoint, Math.floor(limits.total / 4));
  }

  get free(): number {
    return this.#total - this.#taken;
  }

  /** Endpoints without a free slot. */
  full(): string[] {
    const full = [...this.#running.keys()].filter((endpoint) => !this.#hasRoom(endpoint));
    if (this.#silentRunning() < this.#silentTotal) return full;
    return [...new Set([...full, ...this.#silent])];
  }

  /** Reserves a slot for an endpoint if one is free. Every success must be followed by one `give`. */
  take(endpoint: string): boolean {
    if (this.free <= 0 || !this.#hasRoom(endpoint)) return false;
    if (this.#silent.has(endpoint) && this.#silentRunning() >= this.#silentTotal) return false;
    this.#running.set(endpoint, (this.#running.get(endpoint) ?? 0) + 1);
    this.#taken += 1;
    return true;
  }

  /** Releases a slot and notes whether the endpoint responded at all (null: unknown). */
  give(endpoint: string, answered: boolean | null): void {
    const left = (this.#running.get(endpoint) ?? 1) - 1;
    if (left > 0) this.#running.set(endpoint, left);
    else this.#running.delete(endpoint);
    this.#taken -= 1;
    if (answered === null) return;
    const [now, before] = answered ? [this.#alive, this.#silent] : [this.#silent, this.#alive];
    before.delete(endpoint);
    now.delete(endpoint);
    now.add(endpoint);
    const [oldest] = now;
    if (now.size > MAX_REMEMBERED && oldest !== undefined) now.delete(oldest);
  }

  #hasRoom(endpoint: string): boolean {
    const running = this.#running.get(endpoint) ?? 0;
    const isSilent = this.#silent.has(endpoint);
    if (running >= (isSilent ? 1 : this.#perEndpoint)) return false;
    if (this.#alive.has(endpoint)) return true;
    if (running === 0 && !isSilent && isDeclaredKey(endpoint)) return true;
    return this.#unprovenAt(originOfEndpoint(endpoint)) < this.#unprovenPerOrigin;
  }

  #unprovenAt(origin: string): number {
    let running = 0;
    for (const [endpoint, count] of this.#running) {
      if (!this.#alive.has(endpoint) && originOfEndpoint(endpoint) === origin) running += count;
    }
    return running;
  }

  #silentRunning(): number {
    let running = 0;
    for (const [endpoint, count] of this.#running) if (this.#silent.has(endpoint)) running += count;
    return running;
  }
}
