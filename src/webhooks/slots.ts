import { forgetOldest } from './oldest.ts';

/**
 * Bounds how many attempts run at once: in all, per endpoint origin, and for origins whose last
 * attempt brought no answer, which share half of the room. So neither one dead endpoint nor many
 * of them delay deliveries to the living.
 */
export class Slots {
  readonly #total: number;
  readonly #perOrigin: number;
  readonly #silentTotal: number;
  readonly #running = new Map<string, number>();
  #taken = 0;
  /** Origins that gave no answer last time, oldest first; bounded. */
  readonly #silent = new Set<string>();

  constructor(limits: { total: number; perOrigin: number }) {
    this.#total = limits.total;
    this.#perOrigin = limits.perOrigin;
    this.#silentTotal = Math.max(1, Math.floor(limits.total / 2));
  }

  get free(): number {
    return this.#total - this.#taken;
  }

  /** Origins that can take no more for now. */
  full(): string[] {
    const full = [...this.#running.keys()].filter((origin) => !this.#hasRoom(origin));
    if (this.#silentRunning() < this.#silentTotal) return full;
    return [...new Set([...full, ...this.#silent])];
  }

  /** Whether nothing but the slots that others have keeps an origin from one. */
  waitsForOthers(origin: string): boolean {
    if (this.free > 0 || !this.#hasRoom(origin)) return false;
    return !this.#silent.has(origin) || this.#silentRunning() < this.#silentTotal;
  }

  /** Takes a slot for an origin if there is one. Every success must be followed by one `give`. */
  take(origin: string): boolean {
    if (this.free <= 0 || !this.#hasRoom(origin)) return false;
    if (this.#silent.has(origin) && this.#silentRunning() >= this.#silentTotal) return false;
    this.#running.set(origin, (this.#running.get(origin) ?? 0) + 1);
    this.#taken += 1;
    return true;
  }

  /** Gives a slot back and says whether the endpoint answered at all (null: unknown). */
  give(origin: string, answered: boolean | null): void {
    const left = (this.#running.get(origin) ?? 1) - 1;
    if (left > 0) this.#running.set(origin, left);
    else this.#running.delete(origin);
    this.#taken -= 1;
    if (answered === null) return;
    this.#silent.delete(origin);
    if (!answered) this.#silent.add(origin);
    if (this.#silent.size > MAX_REMEMBERED) forgetOldest(this.#silent);
  }

  #hasRoom(origin: string): boolean {
    return (this.#running.get(origin) ?? 0) < this.#perOrigin;
  }

  #silentRunning(): number {
    let running = 0;
    for (const origin of this.#silent) running += this.#running.get(origin) ?? 0;
    return running;
  }
}

const MAX_REMEMBERED = 1_000;
