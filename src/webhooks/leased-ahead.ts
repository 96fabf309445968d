import { performance } from 'node:perf_hooks';
import type { LeasedDelivery } from './attempt-delivery.ts';
import { forgetOldest } from './oldest.ts';
import type { Slots } from './slots.ts';

/** An endpoint that answers within this time takes the next ones so soon that they may be leased before. */
const QUICK_MS = 100;
/** Whatever is wrong, nothing waits longer: the URL may have been edited meanwhile, and leases end. */
const LONGEST_WAIT_MS = 2_000;
/** Bodies of 20 kB at most: some megabytes. */
const LIMITS = { total: 256, perOrigin: 32 };
const MAX_REMEMBERED = 1_000;

interface Waiting {
  readonly leased: LeasedDelivery;
  readonly since: number;
}

/**
 * Deliveries that are leased already while the slots of their endpoints are taken: so one transaction
 * leases, and another records, many more than are under way at once. Only endpoints whose last answer was
 * a quick success have such; what waits for one that is so no more goes back to the database.
 */
export class LeasedAhead {
  readonly #total: number;
  readonly #perOrigin: number;
  readonly #now: () => number;
  /** By origin, the one that was served last at the end. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #quick = new Set<string>();
  /** Waiting, or being leased in order to wait. */
  #count = 0;
  readonly #promised = new Map<string, number>();

  /** @param now a steady clock, ms */
  constructor(limits = LIMITS, now: () => number = () => performance.now()) {
    this.#total = limits.total;
    this.#perOrigin = limits.perOrigin;
    this.#now = now;
  }

  get size(): number {
    return this.#count;
  }

  /** How many more may wait, as far as there is an endpoint that they may wait for. */
  get room(): number {
    return this.#quick.size === 0 ? 0 : Math.max(0, this.#total - this.#count);
  }

  hasRoom(origin: string): boolean {
    return (
      this.#count < this.#total &&
      this.#quick.has(origin) &&
      (this.#promised.get(origin) ?? 0) < this.#perOrigin
    );
  }

  /** Keeps room for one that is being leased; every success must be followed by one `add` or `giveBack`. */
  promise(origin: string): boolean {
    if (!this.hasRoom(origin)) return false;
    this.#change(origin, 1);
    return true;
  }

  giveBack(origin: string): void {
    this.#change(origin, -1);
  }

  add(leased: LeasedDelivery): void {
    const { origin } = leased.delivery;
    const waiting = this.#waiting.get(origin);
    const one = { leased, since: this.#now() };
    if (waiting === undefined) this.#waiting.set(origin, [one]);
    else waiting.push(one);
  }

  /** The next one of the endpoint that was served longest ago among those that `mayStart` says yes to. */
  next(mayStart: (origin: string) => boolean): LeasedDelivery | undefined {
    for (const [origin, waiting] of this.#waiting) {
      const [first] = waiting;
      if (first === undefined || this.#isStale(first) || !mayStart(origin)) continue;
      waiting.shift();
      this.#waiting.delete(origin);
      if (waiting.length > 0) this.#waiting.set(origin, waiting);
      this.#change(origin, -1);
      return first.leased;
    }
    return undefined;
  }

  /** Starts up to so many, as far as there are slots, each of which takes one; answers how many. */
  start(most: number, slots: Slots, run: (leased: LeasedDelivery) => void): number {
    for (let started = 0; started < most; started += 1) {
      const next = slots.free > 0 ? this.next((origin) => slots.take(origin)) : undefined;
      if (next === undefined) return started;
      run(next);
    }
    return Math.max(0, most);
  }

  /** Takes a certain one out; undefined when it does not wait here. */
  take(deliveryId: string): LeasedDelivery | undefined {
    for (const [origin, waiting] of this.#waiting) {
      const at = waiting.findIndex(({ leased }) => leased.delivery.id === deliveryId);
      const [found] = at < 0 ? [] : waiting.splice(at, 1);
      if (found === undefined) continue;
      if (waiting.length === 0) this.#waiting.delete(origin);
      this.#change(origin, -1);
      return found.leased;
    }
    return undefined;
  }

  /** Says how an endpoint answered; returns what must not wait for it any longer. */
  answered(
    origin: string,
    attempt: { readonly isSuccess: boolean; readonly durationMs: number },
  ): LeasedDelivery[] {
    const isQuick = attempt.isSuccess && attempt.durationMs <= QUICK_MS;
    this.#quick.delete(origin);
    if (!isQuick) return this.#drop(origin);
    this.#quick.add(origin);
    if (this.#quick.size > MAX_REMEMBERED) forgetOldest(this.#quick);
    return [];
  }

  /** Takes out what has waited too long, and what waits behind it. */
  dropStale(): LeasedDelivery[] {
    const stale = [...this.#waiting].filter(([, [first]]) => first !== undefined && this.#isStale(first));
    return stale.flatMap(([origin]) => this.#drop(origin));
  }

  dropAll(): LeasedDelivery[] {
    return [...this.#waiting.keys()].flatMap((origin) => this.#drop(origin));
  }

  ids(): string[] {
    return [...this.#waiting.values()].flat().map(({ leased }) => leased.delivery.id);
  }

  #drop(origin: string): LeasedDelivery[] {
    const waiting = this.#waiting.get(origin) ?? [];
    this.#waiting.delete(origin);
    this.#change(origin, -waiting.length);
    return waiting.map(({ leased }) => leased);
  }

  #isStale({ since }: Waiting): boolean {
    return this.#now() - since > LONGEST_WAIT_MS;
  }

  #change(origin: string, by: number): void {
    this.#count += by;
    const promised = (this.#promised.get(origin) ?? 0) + by;
    if (promised > 0) this.#promised.set(origin, promised);
    else this.#promised.delete(origin);
  }
}
