import { sql } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import type { StoredDelivery } from './deliveries.ts';
import { prepared, preparedList, type ParamOf } from '../sqlite/prepared.ts';

export interface Lease {
  readonly token: string;
  readonly now: number;
  readonly until: number;
}

/** A delivery to lease, with its endpoint. */
export type DueDelivery = Pick<StoredDelivery, 'id' | 'origin'>;

export interface DueFilter {
  readonly now: number;
  /** Maximum deliveries per endpoint. */
  readonly perEndpoint: number;
  /** Endpoints without a free slot. */
  readonly exceptEndpoints: readonly string[];
  /** Deliveries in flight in this process, regardless of the state of their leases. */
  readonly exceptIds: readonly string[];
}

/**
 * Due deliveries, longest due first: of each endpoint the first few, of each order key only the earliest pending
 * one, and none that is leased. Endpoints are found by one index seek each, so that a backlog of one does not slow
 * the query for the others.
 */
export async function listDue(tx: Tx, filter: DueFilter): Promise<DueDelivery[]> {
  const due = await firstDue(tx, {
    now: filter.now,
    perEndpoint: filter.perEndpoint,
    except: JSON.stringify(filter.exceptEndpoints),
  });
  const busy = new Set(filter.exceptIds);
  return due.filter(({ id }) => !busy.has(id));
}

type DueSlots = { now: number; perEndpoint: number; except: string };

const firstDue = prepared((db, param: ParamOf<DueSlots>) => ({
  compile: () =>
    sql<DueDelivery>`
      WITH RECURSIVE endpoint(key) AS (
        SELECT min(origin) FROM deliveries WHERE status = 'pending' AND lease_token IS NULL
        UNION ALL
        SELECT (
          SELECT min(origin) FROM deliveries
          WHERE status = 'pending' AND lease_token IS NULL AND origin > endpoint.key
        ) FROM endpoint WHERE endpoint.key IS NOT NULL
      )
      SELECT d.id, d.origin FROM endpoint JOIN deliveries AS d ON d.rowid IN (
        SELECT head.rowid FROM deliveries AS head
        WHERE head.origin = endpoint.key AND head.status = 'pending' AND head.lease_token IS NULL
          AND head.next_attempt_at <= ${param('now')}
          AND NOT EXISTS (
            SELECT 1 FROM deliveries AS earlier
            WHERE earlier.order_key = head.order_key AND earlier.event_seq < head.event_seq
              AND earlier.status = 'pending'
          )
        ORDER BY head.next_attempt_at, head.event_seq LIMIT ${param('perEndpoint')}
      )
      WHERE endpoint.key NOT IN (SELECT value FROM json_each(${param('except')}))
      ORDER BY d.next_attempt_at, d.event_seq`.compile(db),
}));

/** Leases pending deliveries that are not leased; returns the leased ones, in the given order. */
export async function leaseDeliveries(
  tx: Tx,
  ids: readonly string[],
  lease: Lease,
): Promise<StoredDelivery[]> {
  const leased = await leaseThem(tx, lease, ids);
  const byId = new Map(leased.map((delivery) => [delivery.id, delivery]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const leaseThem = preparedList((db, param: ParamOf<Lease>, ids) =>
  db
    .updateTable('deliveries')
    .set({ leaseToken: param('token'), leaseUntil: param('until'), updatedAt: param('now') })
    .where('id', 'in', ids)
    .where('status', '=', sql.lit('pending'))
    .where((eb) => eb.or([eb('leaseToken', 'is', null), eb('leaseUntil', '<=', param('now'))]))
    .returningAll(),
);

/** Releases leases without counting an attempt; the rows are due again at once. */
export async function releaseLeases(tx: Tx, ids: readonly string[], token: string): Promise<void> {
  await releaseThem(tx, { token }, ids);
}

const releaseThem = preparedList((db, param: ParamOf<{ token: string }>, ids) =>
  db
    .updateTable('deliveries')
    .set({ leaseToken: null, leaseUntil: null })
    .where('id', 'in', ids)
    .where('leaseToken', '=', param('token')),
);

/** Releases leases that expired without a record, except deliveries in flight in this process. */
export async function releaseExpiredLeases(
  tx: Tx,
  expired: { readonly now: number; readonly exceptIds: readonly string[] },
): Promise<void> {
  await releaseExpired(tx, { now: expired.now, except: JSON.stringify(expired.exceptIds) });
}

const releaseExpired = prepared((db, param: ParamOf<{ now: number; except: string }>) =>
  db
    .updateTable('deliveries')
    .set({ leaseToken: null, leaseUntil: null })
    .where('status', '=', sql.lit('pending'))
    .where('leaseToken', 'is not', null)
    .where('leaseUntil', '<=', param('now'))
    .where(sql<boolean>`id NOT IN (SELECT value FROM json_each(${param('except')}))`),
);

/** Releases the leases of a dead process. Only at the start of the single process that may run. */
export async function releaseAllLeases(db: Db): Promise<number> {
  const result = await db
    .updateTable('deliveries')
    .set({ leaseToken: null, leaseUntil: null })
    .where('status', '=', sql.lit('pending'))
    .where('leaseToken', 'is not', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Makes deliveries due that were last changed in the future: the clock was set back since, and a time planned
 * by the wrong clock may be years away. The same for leases; not for deliveries in flight.
 */
export async function rescueFromClockJump(
  db: Db,
  clock: { now: number; toleranceMs: number; exceptIds: readonly string[] },
): Promise<number> {
  const { now } = clock;
  const suspect = now + clock.toleranceMs;
  const planned = await db
    .updateTable('deliveries')
    .set({ nextAttemptAt: now, updatedAt: now })
    .where('status', '=', sql.lit('pending'))
    .where('leaseToken', 'is', null)
    // Due deliveries need no change.
    .where('nextAttemptAt', '>', now)
    .where('updatedAt', '>', suspect)
    .executeTakeFirst();
  let leased = db
    .updateTable('deliveries')
    .set({ nextAttemptAt: now, updatedAt: now, leaseToken: null, leaseUntil: null })
    .where('status', '=', sql.lit('pending'))
    .where('leaseToken', 'is not', null)
    .where('updatedAt', '>', suspect);
  if (clock.exceptIds.length > 0) leased = leased.where('id', 'not in', clock.exceptIds);
  const released = await leased.executeTakeFirst();
  return Number(planned.numUpdatedRows + released.numUpdatedRows);
}
