import { inTransaction, type Db, type Tx } from '../store/database.ts';
import type { StoredDelivery } from '../store/deliveries.ts';
import { leaseDeliveries, listDue, type DueDelivery, type Lease } from '../store/delivery-leases.ts';
import { loadLeased, type LeasedDelivery } from './attempt-delivery.ts';
import type { Slots } from './slots.ts';

/** What is to be leased now. */
interface Want {
  readonly lease: Lease;
  /** At most so many. */
  readonly most: number;
  /** Deliveries that are being worked on. */
  readonly runningIds: readonly string[];
}

/** Leases what is due, longest due first, as far as slots are free; each that it answers holds one. */
export class DueLeases {
  readonly #db: Db;
  readonly #slots: Slots;

  constructor(db: Db, slots: Slots) {
    this.#db = db;
    this.#slots = slots;
  }

  /** Leases in one transaction and reads what the deliveries are made of. No slot stays taken when it fails. */
  async next(want: Want): Promise<LeasedDelivery[]> {
    let taken: StoredDelivery[] = [];
    try {
      return await inTransaction(this.#db, async (tx) => {
        taken = await this.#leaseDue(tx, want);
        return loadLeased(tx, taken, want.lease);
      });
    } catch (error) {
      for (const { origin } of taken) this.#slots.give(origin, null);
      throw error;
    }
  }

  async #leaseDue(tx: Tx, { lease, most, runningIds }: Want): Promise<StoredDelivery[]> {
    const leased: StoredDelivery[] = [];
    const room = (): number => Math.min(this.#slots.free, most - leased.length);
    try {
      // Each round either fills a slot or finds an origin full: more rounds than slots find nothing.
      for (let rounds = this.#slots.free; rounds >= 0 && room() > 0; rounds -= 1) {
        const limit = room();
        const due = await listDue(tx, {
          now: lease.now,
          limit,
          exceptOrigins: this.#slots.full(),
          exceptIds: [...runningIds, ...leased.map((delivery) => delivery.id)],
        });
        if (due.length === 0) break;
        const taken = due.filter(({ origin }) => this.#slots.take(origin));
        const got = await this.#leaseTaken(tx, taken, lease);
        for (const delivery of got) leased.push(delivery);
        // That was all there is.
        if (due.length < limit) break;
      }
      return leased;
    } catch (error) {
      for (const { origin } of leased) this.#slots.give(origin, null);
      throw error;
    }
  }

  /** Leases what slots were taken for; gives back the slots of what somebody else holds, and of all when it fails. */
  async #leaseTaken(tx: Tx, taken: readonly DueDelivery[], lease: Lease): Promise<StoredDelivery[]> {
    let got: StoredDelivery[] = [];
    try {
      got = await leaseDeliveries(
        tx,
        taken.map(({ id }) => id),
        lease,
      );
      return got;
    } finally {
      const ids = new Set(got.map(({ id }) => id));
      for (const { id, origin } of taken) if (!ids.has(id)) this.#slots.give(origin, null);
    }
  }
}
