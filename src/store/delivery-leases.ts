import type { Db, Tx } from './database.ts';
import type { StoredDelivery } from './deliveries.ts';
import { prepared, preparedList, type SlotOf } from './prepared.ts';

export interface Lease {
  readonly token: string;
  readonly now: number;
  readonly until: number;
}

/** What can be leased. */
export type DueDelivery = Pick<StoredDelivery, 'id' | 'origin'>;

export interface DueFilter {
  readonly now: number;
  readonly limit: number;
  /** Endpoint origins that can take no more for now. */
  readonly exceptOrigins: readonly string[];
  /** Deliveries this process is at work on, whatever the clock says of their leases. */
  readonly exceptIds: readonly string[];
}

/**
 * Deliveries whose time has come, longest due first: only the earliest pending one of each order
 * key, and none that is leased to someone.
 */
export async function listDue(tx: Tx, filter: DueFilter): Promise<DueDelivery[]> {
  const found = await dueBesides(tx, { ...filter, exceptIds: [] });
  const excepted = new Set(filter.exceptIds);
  const due = found.filter(({ id }) => !excepted.has(id));
  // What is being worked on has a lease, too, as a rule: its ids matter only after a leap of the clock.
  return due.length === found.length || found.length < filter.limit ? due : dueBesides(tx, filter);
}

async function dueBesides(tx: Tx, filter: DueFilter): Promise<DueDelivery[]> {
  const { now, limit } = filter;
  if (filter.exceptOrigins.length + filter.exceptIds.length === 0) return dueNow(tx, { now, limit });
  let query = due(tx, now);
  if (filter.exceptOrigins.length > 0)
    query = query.where('d.origin', 'not in', padded(filter.exceptOrigins));
  if (filter.exceptIds.length > 0) query = query.where('d.id', 'not in', filter.exceptIds);
  return query.limit(limit).execute();
}

/** As long as the next power of two, so that few different statements have to be prepared. */
function padded(list: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(list.length));
  return [...list, ...Array.from({ length: length - list.length }, () => list[0] ?? '')];
}

const dueNow = prepared((db, slot: SlotOf<{ now: number; limit: number }>) =>
  due(db, slot('now')).limit(slot('limit')),
);

const due = (db: Db, now: number) =>
  db
    .selectFrom('deliveries as d')
    .select(['d.id', 'd.origin'])
    .where('d.status', '=', 'pending')
    .where('d.next_attempt_at', '<=', now)
    .where((eb) => eb.or([eb('d.lease_token', 'is', null), eb('d.lease_until', '<=', now)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.order_key', '=', 'd.order_key')
            .whereRef('earlier.event_seq', '<', 'd.event_seq')
            .where('earlier.status', '=', 'pending'),
        ),
      ),
    )
    .orderBy('d.next_attempt_at')
    .orderBy('d.event_seq');

/** Takes the leases of pending deliveries that nobody else holds; answers those it got, in the order asked. */
export async function leaseDeliveries(
  tx: Tx,
  ids: readonly string[],
  lease: Lease,
): Promise<StoredDelivery[]> {
  const leased = await leaseThem(tx, lease, ids);
  const byId = new Map(leased.map((delivery) => [delivery.id, delivery]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const leaseThem = preparedList((db, slot: SlotOf<Lease>, ids) =>
  db
    .updateTable('deliveries')
    .set({ lease_token: slot('token'), lease_until: slot('until'), updated_at: slot('now') })
    .where('id', 'in', ids)
    .where('status', '=', 'pending')
    .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_until', '<=', slot('now'))]))
    .returningAll(),
);

/** Gives back leases without an attempt having counted; the rows are due again at once. */
export async function releaseLeases(tx: Tx, ids: readonly string[], token: string): Promise<void> {
  await releaseThem(tx, { token }, ids);
}

const releaseThem = preparedList((db, slot: SlotOf<{ token: string }>, ids) =>
  db
    .updateTable('deliveries')
    .set({ lease_token: null, lease_until: null })
    .where('id', 'in', ids)
    .where('lease_token', '=', slot('token')),
);

/** Takes over what a dead process left leased. Only for the start of the one process that may run. */
export async function releaseAllLeases(db: Db): Promise<number> {
  const result = await db
    .updateTable('deliveries')
    .set({ lease_token: null, lease_until: null })
    .where('status', '=', 'pending')
    .where('lease_token', 'is not', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Makes due what was last touched in the future: the clock has been set back since, and a time
 * planned by the wrong clock may be years away. The same for leases; not for what is being worked on.
 */
export async function rescueFromClockJump(
  db: Db,
  clock: { now: number; toleranceMs: number; exceptIds: readonly string[] },
): Promise<number> {
  let query = db
    .updateTable('deliveries')
    .set({ next_attempt_at: clock.now, updated_at: clock.now, lease_token: null, lease_until: null })
    .where('status', '=', 'pending')
    .where('updated_at', '>', clock.now + clock.toleranceMs);
  if (clock.exceptIds.length > 0) query = query.where('id', 'not in', clock.exceptIds);
  const result = await query.executeTakeFirst();
  return Number(result.numUpdatedRows);
}
