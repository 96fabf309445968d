import { inPatientTransaction, type Db, type Tx } from '../store/database.ts';
import type { StoredDelivery } from '../store/deliveries.ts';
import { DueWalk, leaseDeliveries, listDue, type DueDelivery, type Lease } from '../store/delivery-leases.ts';
import { loadLeased, type LeasedDelivery } from './attempt-delivery.ts';
import type { LeasedAhead } from './leased-ahead.ts';
import type { Slots } from './slots.ts';

/** What is to be leased now. */
interface Want {
  readonly lease: Lease;
  /** At most so many. */
  readonly most: number;
  /** Deliveries that are being worked on. */
  readonly runningIds: readonly string[];
}

/** Rounds of looking that bring nothing to lease, at most: then the endpoints that are due are all busy. */
const VAIN_ROUNDS = 3;

/** What was leased at once. */
interface Leased {
  /** To be started now; each holds a slot. */
  readonly now: readonly LeasedDelivery[];
  /** Each has its room among those that wait. */
  readonly ahead: readonly LeasedDelivery[];
}

const NOTHING: Leased = { now: [], ahead: [] };

/** Leases what is due, longest due first: as far as slots are free, and ahead where an endpoint is quick. */
export class DueLeases {
  readonly #db: Db;
  readonly #slots: Slots;
  readonly #ahead: LeasedAhead;
  readonly #walk = new DueWalk();

  constructor(db: Db, slots: Slots, ahead: LeasedAhead) {
    this.#db = db;
    this.#slots = slots;
    this.#ahead = ahead;
  }

  /**
   * Leases in one transaction and reads what the deliveries are made of. No slot stays taken when it fails.
   * Nothing may be sent before it is done: what it leased may follow something that is not on disk before.
   */
  async next(want: Want): Promise<Leased> {
    if (want.most <= 0 || this.#slots.free + this.#ahead.room <= 0) return NOTHING;
    const places = new Places(this.#slots, this.#ahead);
    try {
      const leased = await inPatientTransaction(this.#db, async (tx) => {
        const taken = await this.#leaseDue(tx, want, places);
        return loadLeased(tx, taken, want.lease);
      });
      return {
        now: leased.filter(({ delivery }) => places.hasSlot(delivery.id)),
        ahead: leased.filter(({ delivery }) => !places.hasSlot(delivery.id)),
      };
    } catch (error) {
      places.giveAllBack();
      throw error;
    }
  }

  async #leaseDue(tx: Tx, { lease, most, runningIds }: Want, places: Places): Promise<StoredDelivery[]> {
    const leased: StoredDelivery[] = [];
    const refused = new Set<string>();
    const room = (): number => Math.min(this.#slots.free + this.#ahead.room, most - leased.length);
    for (let vain = 0; vain < VAIN_ROUNDS && room() > 0;) {
      const limit = room();
      const full = this.#slots.full().filter((origin) => !this.#ahead.hasRoom(origin));
      const due = await listDue(tx, {
        now: lease.now,
        limit,
        exceptOrigins: [...new Set([...full, ...refused])],
        exceptIds: [...runningIds, ...leased.map((delivery) => delivery.id)],
        walk: this.#walk,
      });
      if (due.length === 0) break;
      const placed: DueDelivery[] = [];
      let isKeptWaiting = false;
      for (const each of due) {
        if (places.take(each)) placed.push(each);
        else isKeptWaiting = this.#slots.waitsForOthers(each.origin);
        // What came later must not go on taking all slots, by being leased ahead of it.
        if (isKeptWaiting) break;
      }
      const got = await leaseDeliveries(
        tx,
        placed.map(({ id }) => id),
        lease,
      );
      const ids = new Set(got.map(({ id }) => id));
      for (const { id, origin } of due) {
        if (!places.has(id)) refused.add(origin);
        else if (!ids.has(id)) places.giveBack(id);
      }
      for (const delivery of got) leased.push(delivery);
      // That was all there is, or all whose turn it is.
      if (due.length < limit || isKeptWaiting) break;
      if (got.length === 0) vain += 1;
    }
    return leased;
  }
}

/** The slots and the room that one transaction has taken. */
class Places {
  readonly #slots: Slots;
  readonly #ahead: LeasedAhead;
  readonly #slotOf = new Map<string, string>();
  readonly #aheadOf = new Map<string, string>();

  constructor(slots: Slots, ahead: LeasedAhead) {
    this.#slots = slots;
    this.#ahead = ahead;
  }

  take({ id, origin }: DueDelivery): boolean {
    if (this.#slots.take(origin)) this.#slotOf.set(id, origin);
    else if (this.#ahead.promise(origin)) this.#aheadOf.set(id, origin);
    else return false;
    return true;
  }

  has(id: string): boolean {
    return this.#slotOf.has(id) || this.#aheadOf.has(id);
  }

  hasSlot(id: string): boolean {
    return this.#slotOf.has(id);
  }

  giveBack(id: string): void {
    const slot = this.#slotOf.get(id);
    const ahead = this.#aheadOf.get(id);
    if (slot !== undefined) this.#slots.give(slot, null);
    if (ahead !== undefined) this.#ahead.giveBack(ahead);
    this.#slotOf.delete(id);
    this.#aheadOf.delete(id);
  }

  giveAllBack(): void {
    for (const id of [...this.#slotOf.keys(), ...this.#aheadOf.keys()]) this.giveBack(id);
  }
}
