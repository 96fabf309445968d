import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import type { EventType } from '../../domain/events.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, preparedInsert, preparedList, type ParamOf } from '../sqlite/prepared.ts';
import type { Tables } from '../schema/tables.ts';
import type { EventRow } from '../schema/webhooks.ts';

export type StoredEvent = Selectable<EventRow>;

const insertRow = preparedInsert('events', ['seq']);

/** Appends one event and returns its place in the log. Must be in the transaction of what it tells about. */
export async function insertEvent(tx: Tx, event: Omit<StoredEvent, 'seq'>): Promise<number> {
  const [row] = await insertRow(tx, event);
  if (row === undefined) throw new Error('no event was stored');
  return row.seq;
}

export async function findEvent(db: Db, id: string): Promise<StoredEvent | undefined> {
  const [event] = await byId(db, { id });
  return event;
}

const byId = prepared((db, param: ParamOf<{ id: string }>) =>
  db.selectFrom('events').selectAll().where('id', '=', param('id')),
);

/** What a delivery of an event is made of. */
export type EventMessage = Pick<StoredEvent, 'id' | 'type' | 'body_json'>;

/** The messages of these events, in no order. */
export async function findEventMessages(db: Db, ids: readonly string[]): Promise<EventMessage[]> {
  return messagesById(db, {}, ids);
}

const messagesById = preparedList((db, _slot: ParamOf<object>, ids) =>
  db.selectFrom('events').select(['id', 'type', 'body_json']).where('id', 'in', ids),
);

export interface EventFilter {
  readonly merchantId: string;
  readonly paymentId?: string;
  readonly type?: EventType;
  readonly page: number;
  readonly limit: number;
}

/** From the counts that triggers keep by type. */
async function countedEvents(db: Db, filter: Pick<EventFilter, 'merchantId' | 'type'>): Promise<number> {
  let query = db.selectFrom('event_counts').where('merchant_id', '=', filter.merchantId);
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  const { total } = await query
    .select((eb) => eb.fn.sum<number | null>('count').as('total'))
    .executeTakeFirstOrThrow();
  return total ?? 0;
}

async function countOf(query: SelectQueryBuilder<Tables, 'events', object>): Promise<number> {
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Those of one payment are few: seen as a column, the merchant would be taken for the shorter way to them. */
function ofMerchant(db: Db, { merchantId, paymentId }: EventFilter) {
  const events = db.selectFrom('events');
  if (paymentId === undefined) return events.where('merchant_id', '=', merchantId);
  return events.where('payment_id', '=', paymentId).where(sql`merchant_id || ''`, '=', merchantId);
}

/** One page of a merchant's events, newest first, and how many match in all. */
export async function listEvents(
  db: Db,
  filter: EventFilter,
): Promise<{ events: StoredEvent[]; total: number }> {
  let query = ofMerchant(db, filter);
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  const total = filter.paymentId === undefined ? await countedEvents(db, filter) : await countOf(query);
  const events = await query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit)
    .execute();
  return { events, total };
}
