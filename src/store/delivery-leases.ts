import { sql } from 'kysely';
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
  /** How far looks have come through what lies behind the deliveries of such origins; from the start unless given. */
  readonly walk?: DueWalk;
}

/** Where a delivery stands among those that are due, and the order of a list of them. */
type Position = Pick<StoredDelivery, 'next_attempt_at' | 'event_seq'>;
type Placed = DueDelivery & Position;

/** Remembers between looks where the next one goes on. */
export class DueWalk {
  after: Position | null = null;
}

/** More than are ever leased at once: those whose lease ended are all looked at. */
const MOST_LEASED = 4_096;

/**
 * Deliveries whose time has come, longest due first: only the earliest pending one of each order key, and
 * none that is leased to someone. Behind many deliveries to origins that can take no more it finds the others
 * that came first and last, and those in between in several looks: so none of them takes long.
 */
export async function listDue(tx: Tx, filter: DueFilter): Promise<DueDelivery[]> {
  const again = await dueAgain(tx, { now: filter.now });
  const due = again.length === 0 ? [] : withoutExcepted(again, filter);
  const free = await freeDue(tx, filter);
  if (due.length > 0) return [...due, ...free].toSorted(byPosition).slice(0, filter.limit);
  const busy = new Set(filter.exceptIds);
  return free.some(({ id }) => busy.has(id)) ? free.filter(({ id }) => !busy.has(id)) : free;
}

/** What is being worked on has a lease, too: its ids matter only after a leap of the clock. */
function withoutExcepted(due: readonly Placed[], filter: DueFilter): Placed[] {
  const [ids, origins] = [new Set(filter.exceptIds), new Set(filter.exceptOrigins)];
  return due.filter(({ id, origin }) => !ids.has(id) && !origins.has(origin));
}

function byPosition(a: Position, b: Position): number {
  return a.next_attempt_at - b.next_attempt_at || a.event_seq - b.event_seq;
}

/** So many that are due are looked at in a row for some whose origin can take more. */
const LOOK = 1_000;
const START: Position = { next_attempt_at: Number.MIN_SAFE_INTEGER, event_seq: Number.MIN_SAFE_INTEGER };

/** Those without a lease. */
async function freeDue(tx: Tx, filter: DueFilter): Promise<Placed[]> {
  const { now, limit, exceptOrigins } = filter;
  if (exceptOrigins.length === 0) return dueNow(tx, { now, limit });
  const end: Position = { next_attempt_at: now, event_seq: Number.MAX_SAFE_INTEGER };
  const [firstEnd] = await positionsFrom(tx, { ...bounds(START, end), offset: LOOK });
  if (firstEnd === undefined) return dueWithin(tx, filter, START, end);
  const found = await dueWithin(tx, filter, START, firstEnd);
  if (found.length >= limit) return found;
  // What has become due just now is at the other end.
  const [lastStart = firstEnd] = await positionsBack(tx, { ...bounds(firstEnd, end), offset: LOOK });
  const last = await dueWithin(tx, filter, lastStart, end);
  const between = lastStart === firstEnd ? [] : await goOn(tx, filter, firstEnd, lastStart);
  return [...found, ...between, ...last].slice(0, limit);
}

/** So many looks at once at what is in between. */
const LOOKS_BETWEEN = 4;

/** The next looks at what is in between. */
async function goOn(tx: Tx, filter: DueFilter, first: Position, last: Position): Promise<Placed[]> {
  const { limit, walk = new DueWalk() } = filter;
  const found: Placed[] = [];
  for (let look = 0; look < LOOKS_BETWEEN && found.length < limit; look += 1) {
    const isWithin =
      walk.after !== null && byPosition(walk.after, first) > 0 && byPosition(walk.after, last) < 0;
    // From the start again next time.
    if (!isWithin && look > 0) break;
    const from = isWithin && walk.after !== null ? walk.after : first;
    const [to = last] = await positionsFrom(tx, { ...bounds(from, last), offset: LOOK });
    walk.after = to;
    found.push(...(await dueWithin(tx, filter, from, to)));
  }
  return found;
}

interface Bounds {
  readonly afterAt: number;
  readonly afterSeq: number;
  readonly toAt: number;
  readonly toSeq: number;
}

function bounds(after: Position, to: Position): Bounds {
  return {
    afterAt: after.next_attempt_at,
    afterSeq: after.event_seq,
    toAt: to.next_attempt_at,
    toSeq: to.event_seq,
  };
}

const waiting = (db: Db) =>
  db
    .selectFrom('deliveries as d')
    .where('d.status', '=', sql.lit('pending'))
    .where('d.lease_token', 'is', null);

/** After one position and up to another. */
const within = (db: Db, { afterAt, afterSeq, toAt, toSeq }: Bounds) =>
  waiting(db)
    .where(sql<boolean>`(d.next_attempt_at, d.event_seq) > (${afterAt}, ${afterSeq})`)
    .where(sql<boolean>`(d.next_attempt_at, d.event_seq) <= (${toAt}, ${toSeq})`);

type WindowSlots = Bounds & { readonly offset: number };

const boundsOf = (slot: SlotOf<Bounds>): Bounds => ({
  afterAt: slot('afterAt'),
  afterSeq: slot('afterSeq'),
  toAt: slot('toAt'),
  toSeq: slot('toSeq'),
});

/** The position so many further on. */
const positionsFrom = prepared((db, slot: SlotOf<WindowSlots>) =>
  within(db, boundsOf(slot))
    .select(['d.next_attempt_at', 'd.event_seq'])
    .orderBy('d.next_attempt_at')
    .orderBy('d.event_seq')
    .limit(1)
    .offset(slot('offset')),
);

/** The position so many before the end. */
const positionsBack = prepared((db, slot: SlotOf<WindowSlots>) =>
  within(db, boundsOf(slot))
    .select(['d.next_attempt_at', 'd.event_seq'])
    .orderBy('d.next_attempt_at', 'desc')
    .orderBy('d.event_seq', 'desc')
    .limit(1)
    .offset(slot('offset')),
);

/** For each length of a list of origins, the next power of two: few different statements have to be prepared. */
const withinFor = new Map<number, ReturnType<typeof preparedWithin>>();

async function dueWithin(tx: Tx, filter: DueFilter, after: Position, to: Position): Promise<Placed[]> {
  const { exceptOrigins, limit } = filter;
  const length = 2 ** Math.ceil(Math.log2(exceptOrigins.length));
  let list = withinFor.get(length);
  if (list === undefined) withinFor.set(length, (list = preparedWithin(length)));
  const origins: Record<`origin${number}`, string> = {};
  for (let at = 0; at < length; at += 1) origins[`origin${at}`] = exceptOrigins[at] ?? exceptOrigins[0] ?? '';
  return list(tx, { ...bounds(after, to), ...origins, limit });
}

const preparedWithin = (length: number) =>
  prepared((db, slot: SlotOf<Bounds & { limit: number } & Record<`origin${number}`, string>>) =>
    earliest(within(db, boundsOf(slot)))
      .where(
        'd.origin',
        'not in',
        Array.from({ length }, (_, at) => slot(`origin${at}`)),
      )
      .orderBy('d.next_attempt_at')
      .orderBy('d.event_seq')
      .limit(slot('limit')),
  );

const dueNow = prepared((db, slot: SlotOf<{ now: number; limit: number }>) =>
  earliest(waiting(db).where('d.next_attempt_at', '<=', slot('now')))
    .orderBy('d.next_attempt_at')
    .orderBy('d.event_seq')
    .limit(slot('limit')),
);

/** Those whose lease has ended without a word. */
const dueAgain = prepared((db, slot: SlotOf<{ now: number }>) =>
  earliest(
    db
      .selectFrom('deliveries as d')
      .where('d.status', '=', sql.lit('pending'))
      .where('d.lease_token', 'is not', null)
      .where('d.lease_until', '<=', slot('now'))
      .where('d.next_attempt_at', '<=', slot('now')),
  ).limit(MOST_LEASED),
);

/** Only those with nothing pending before them in their order. */
const earliest = (of: ReturnType<typeof waiting>) =>
  of
    .select(['d.id', 'd.origin', 'd.next_attempt_at', 'd.event_seq'])
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.order_key', '=', 'd.order_key')
            .whereRef('earlier.event_seq', '<', 'd.event_seq')
            .where('earlier.status', '=', sql.lit('pending')),
        ),
      ),
    );

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
    .where('status', '=', sql.lit('pending'))
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
    .where('status', '=', sql.lit('pending'))
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
  const { now } = clock;
  const suspect = now + clock.toleranceMs;
  const planned = await db
    .updateTable('deliveries')
    .set({ next_attempt_at: now, updated_at: now })
    .where('status', '=', sql.lit('pending'))
    .where('lease_token', 'is', null)
    // What is due needs no help.
    .where('next_attempt_at', '>', now)
    .where('updated_at', '>', suspect)
    .executeTakeFirst();
  let leased = db
    .updateTable('deliveries')
    .set({ next_attempt_at: now, updated_at: now, lease_token: null, lease_until: null })
    .where('status', '=', sql.lit('pending'))
    .where('lease_token', 'is not', null)
    .where('updated_at', '>', suspect);
  if (clock.exceptIds.length > 0) leased = leased.where('id', 'not in', clock.exceptIds);
  const released = await leased.executeTakeFirst();
  return Number(planned.numUpdatedRows + released.numUpdatedRows);
}
