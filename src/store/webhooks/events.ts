import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import { z } from 'zod';
import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { writeMeta } from '../meta.ts';
import { compressJson } from '../sqlite/compressed-json.ts';
import { prepared, preparedInsert, preparedList, type ParamOf } from '../sqlite/prepared.ts';
import type { Tables } from '../schema/tables.ts';
import type { EventRow } from '../schema/webhooks.ts';

export type StoredEvent = Selectable<EventRow>;
type NewStoredEvent = Omit<StoredEvent, 'seq' | 'bodyJson'> & { readonly bodyJson: string };

const insertRow = preparedInsert('events', ['seq']);

/** Lowest number that the next event may get, after a restore; see skipSeqs. */
export const FIRST_SEQ = 'events.first_seq';
/** More events than any daemon writes between a backup and its loss. */
const SKIPPED_SEQS = 1_000_000_000;

/**
 * Appends one event and returns its `seq`. Must be in the transaction of the change it reports: there is one
 * writer, so the numbers ascend in commit order. The commit wakes requests that wait for events of the
 * merchant.
 */
export async function insertEvent(tx: Tx, event: NewStoredEvent): Promise<number> {
  const bodyJson = compressJson(event.bodyJson);
  const [row] = await insertRow(tx, { seq: await nextSeq(tx), ...event, bodyJson });
  if (row === undefined) throw new Error('no event was stored');
  const { onNewEvent } = tx.database;
  if (onNewEvent !== null) tx.afterCommit(() => onNewEvent(event.merchantId));
  return row.seq;
}

/** The number of the next event of any merchant. */
export async function nextSeq(db: Db): Promise<number> {
  const [row] = await next(db, { key: FIRST_SEQ });
  return row?.seq ?? 1;
}

const next = prepared((db, param: ParamOf<{ key: string }>) => ({
  compile: () =>
    sql<{ seq: number }>`
      SELECT max(
        coalesce((SELECT max(seq) FROM events), 0) + 1,
        coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = ${param('key')}), 1)
      ) AS seq`.compile(db),
}));

/**
 * Skips numbers that events after a backup may have had: a shop that has read those must not miss the new
 * ones.
 * @param given a number that was given in another copy of the database
 */
export async function skipSeqs(tx: Tx, given = 0): Promise<void> {
  await writeMeta(tx, FIRST_SEQ, String(Math.max(await nextSeq(tx), given) + SKIPPED_SEQS));
}

export async function findEvent(db: Db, id: string): Promise<StoredEvent | undefined> {
  const [event] = await byId(db, { id });
  return event;
}

const byId = prepared((db, param: ParamOf<{ id: string }>) =>
  db.selectFrom('events').selectAll().where('id', '=', param('id')),
);

/** The parts of an event from which its delivery is built. */
export type EventMessage = Pick<StoredEvent, 'id' | 'type' | 'bodyJson'>;

/** The messages of these events, unordered. */
export async function findEventMessages(db: Db, ids: readonly string[]): Promise<EventMessage[]> {
  return messagesById(db, {}, ids);
}

const messagesById = preparedList((db, _slot: ParamOf<object>, ids) =>
  db.selectFrom('events').select(['id', 'type', 'bodyJson']).where('id', 'in', ids),
);

interface EventMatch {
  readonly merchantId: string;
  readonly paymentId?: string;
  readonly subscriptionId?: string;
  readonly type?: EventType;
  /** Both by default. */
  readonly mode?: Mode;
}

export interface EventFilter extends EventMatch {
  readonly page: number;
  readonly limit: number;
}

/** A range of events by `seq`: above `after`, up to and including `through`. */
export interface EventRange extends EventMatch {
  readonly after: number;
  readonly through: number;
  readonly limit: number;
}

/** From the counts by type maintained by triggers. */
async function countedEvents(db: Db, filter: Pick<EventFilter, 'merchantId' | 'type'>): Promise<number> {
  let query = db.selectFrom('event_counts').where('merchantId', '=', filter.merchantId);
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  const { total } = await query
    .select((eb) => eb.fn.sum<number | null>('count').as('total'))
    .executeTakeFirstOrThrow();
  return total ?? 0;
}

async function countRows(query: SelectQueryBuilder<Tables, 'events', object>): Promise<number> {
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * One payment or subscription has few: as a plain column, the merchant would seem the more selective condition to
 * the planner.
 */
function ofMerchant(db: Db, { merchantId, paymentId, subscriptionId }: EventMatch) {
  let events = db.selectFrom('events');
  if (paymentId !== undefined) events = events.where('paymentId', '=', paymentId);
  if (subscriptionId !== undefined) events = events.where('subscriptionId', '=', subscriptionId);
  const isNarrow = paymentId !== undefined || subscriptionId !== undefined;
  return isNarrow
    ? events.where(sql`merchant_id || ''`, '=', merchantId)
    : events.where('merchantId', '=', merchantId);
}

function matching(db: Db, match: EventMatch) {
  const { mode, type } = match;
  let query = ofMerchant(db, match);
  // A literal, so that the planner uses the partial index of the sandbox.
  if (mode !== undefined) query = query.where(sql<boolean>`mode = ${sql.lit(mode)}`);
  if (type !== undefined) query = query.where('type', '=', type);
  return query;
}

/** Sandbox events are few and counted; live ones are the difference. */
async function totalEvents(db: Db, { merchantId, type, mode }: EventMatch): Promise<number> {
  const ofBoth = { merchantId, ...(type === undefined ? {} : { type }) };
  if (mode === undefined) return countedEvents(db, ofBoth);
  const played = await countRows(matching(db, { ...ofBoth, mode: 'sandbox' }));
  return mode === 'sandbox' ? played : (await countedEvents(db, ofBoth)) - played;
}

/** One page of a merchant's events, newest first, and the total number of matches. */
export async function listEvents(
  db: Db,
  filter: EventFilter,
): Promise<{ events: StoredEvent[]; total: number }> {
  const query = matching(db, filter);
  const { paymentId, subscriptionId } = filter;
  const isWide = paymentId === undefined && subscriptionId === undefined;
  const total = isWide ? await totalEvents(db, filter) : await countRows(query);
  const events = await query
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit)
    .execute();
  return { events, total };
}

/** The highest number of a merchant's events; 0 while there is none. */
export async function newestSeq(db: Db, merchantId: string): Promise<number> {
  const [row] = await newest(db, { merchantId });
  return row?.seq ?? 0;
}

const newest = prepared((db, param: ParamOf<{ merchantId: string }>) =>
  db
    .selectFrom('events')
    .select('seq')
    .where('merchantId', '=', param('merchantId'))
    .orderBy('seq', 'desc')
    .limit(1),
);

/** A merchant's events in a range, oldest first. */
export async function listEventsInRange(db: Db, range: EventRange): Promise<StoredEvent[]> {
  const query = matching(db, range).where('seq', '>', range.after).where('seq', '<=', range.through);
  return query.selectAll().orderBy('seq').limit(range.limit).execute();
}

const claimBody = z.object({
  data: z.object({ refundLink: z.object({ claimId: z.string().nullable() }).optional() }),
});

/** Whether a claim of a refund link already has an event of this type whose body is kept. */
export async function hasClaimEvent(
  db: Db,
  claim: { readonly paymentId: string; readonly claimId: string | null },
  type: EventType,
): Promise<boolean> {
  if (claim.claimId === null) return false;
  const events = await db
    .selectFrom('events')
    .select('bodyJson')
    .where('paymentId', '=', claim.paymentId)
    .where('type', '=', type)
    .execute();
  return events.some(({ bodyJson: body }) => {
    const claimId = body === null ? null : claimBody.parse(JSON.parse(body)).data.refundLink?.claimId;
    return claimId === claim.claimId;
  });
}
