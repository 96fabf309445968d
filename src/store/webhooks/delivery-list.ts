import { sql, type RawBuilder } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { Db } from '../sqlite/database.ts';
import { splitByDay, type SplitSpan } from '../payments/whole-days.ts';
import type { StoredDelivery } from './deliveries.ts';
import type { DeliveryState } from './webhook-logs.ts';

/** A delivery in a listing: one for each event and endpoint, the newest if it was manually redelivered. */
export type ListedDelivery = Pick<
  StoredDelivery,
  | 'id'
  | 'eventId'
  | 'eventType'
  | 'paymentId'
  | 'endpointId'
  | 'url'
  | 'status'
  | 'attempts'
  | 'nextAttemptAt'
  | 'createdAt'
> & { sendId: string | null };

export interface DeliveryFilter {
  readonly merchantId: string;
  /** Mode of the event; both by default. */
  readonly mode?: Mode | undefined;
  readonly state?: DeliveryState | undefined;
  /** The type of the event. */
  readonly event?: EventType | undefined;
  /** As in deliveries: null for the webhookUrl of a payment. */
  readonly endpointId?: string | null | undefined;
  readonly paymentId?: string | undefined;
  /** Bounds of the creation time in ms, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const COLUMNS = [
  'its.id',
  'its.eventId',
  'its.eventType',
  'its.paymentId',
  'its.endpointId',
  'its.url',
  'its.status',
  'its.attempts',
  'its.nextAttemptAt',
  'its.createdAt',
] as const;

/** One page of a merchant's deliveries, newest first, and the total number of matches. */
export async function listDeliveries(
  db: Db,
  filter: DeliveryFilter & { readonly page: number; readonly limit: number },
): Promise<{ deliveries: ListedDelivery[]; total: number }> {
  const { page, limit, ...match } = filter;
  const total = await totalDeliveries(db, match);
  const offset = (page - 1) * limit;
  // Stops at the last match, because nothing behind it needs to be read.
  const left = Math.min(limit, total - offset);
  if (left <= 0) return { deliveries: [], total };
  const deliveries = await matching(db, match)
    .select(COLUMNS)
    // Not joined, so that events of the pages before are not read.
    .select(sql<string | null>`(SELECT send_id FROM events WHERE events.id = its.event_id)`.as('sendId'))
    .orderBy('its.createdAt', 'desc')
    .orderBy('its.id', 'desc')
    .limit(left)
    .offset(offset)
    .execute();
  return { deliveries, total };
}

function matching(db: Db, filter: DeliveryFilter) {
  const { state, endpointId } = filter;
  let query = ofMerchant(db, filter).where(sql<boolean>`its.replaced = 0`);
  if (state !== undefined) query = query.where(sql<boolean>`its.status = ${sql.lit(state)}`);
  // A literal, so that the planner uses the partial index of these few.
  if (state === 'pending' || state === 'failed') query = query.where(sql<boolean>`its.status <> 'delivered'`);
  if (filter.mode !== undefined) query = query.where('its.mode', '=', filter.mode);
  if (filter.event !== undefined) query = query.where('its.eventType', '=', filter.event);
  if (endpointId === null) query = query.where('its.endpointId', 'is', null);
  else if (endpointId !== undefined) query = query.where('its.endpointId', '=', endpointId);
  if (filter.from !== undefined) query = query.where('its.createdAt', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('its.createdAt', '<=', filter.to);
  return query;
}

/**
 * One payment has few: as a plain column, the merchant would seem the more selective condition to the
 * planner.
 */
function ofMerchant(db: Db, { merchantId, paymentId }: DeliveryFilter) {
  const deliveries = db.selectFrom('deliveries as its');
  if (paymentId === undefined) return deliveries.where('its.merchantId', '=', merchantId);
  return deliveries
    .where(sql`its.merchant_id || ''`, '=', merchantId)
    .where('its.eventId', 'in', (eb) =>
      eb.selectFrom('events as told').select('told.id').where('told.paymentId', '=', paymentId),
    );
}

/**
 * Few are undelivered, and few belong to one payment: these are counted. The rest comes from the daily counts
 * maintained by triggers, and from the deliveries of the two days that are only partly in the range.
 */
async function totalDeliveries(db: Db, filter: DeliveryFilter): Promise<number> {
  const { state, ...ofAny } = filter;
  const isKept = filter.paymentId === undefined && (state === undefined || state === 'delivered');
  const others = isKept && state === 'delivered' ? (['pending', 'failed'] as const) : [];
  const total = isKept ? countTotal(db, ofAny) : counted(db, filter);
  const without = others.map((other) => sql` - ${counted(db, { ...ofAny, state: other })}`);
  // One statement, so that all parts belong to the same snapshot.
  const row = await db
    .selectNoFrom(sql<number>`${total}${sql.join(without, sql``)}`.as('total'))
    .executeTakeFirstOrThrow();
  return row.total;
}

function countTotal(db: Db, filter: DeliveryFilter): RawBuilder<number> {
  const days = splitByDay({ fromMs: filter.from, toMs: filter.to });
  if (days === null) return counted(db, filter);
  const ends = days.ends.map(({ fromMs: from, toMs: to }) => counted(db, { ...filter, from, to }));
  return sql<number>`(${sql.join([dayCounts(db, filter, days), ...ends], sql` + `)})`;
}

function counted(db: Db, filter: DeliveryFilter): RawBuilder<number> {
  return sql<number>`${matching(db, filter).select((eb) => eb.fn.countAll<number>().as('total'))}`;
}

function dayCounts(db: Db, filter: DeliveryFilter, days: SplitSpan): RawBuilder<number> {
  const { mode, event, endpointId } = filter;
  let query = db.selectFrom('delivery_counts').where('merchantId', '=', filter.merchantId);
  if (days.firstDay !== undefined) query = query.where('day', '>=', days.firstDay);
  if (days.endDay !== undefined) query = query.where('day', '<', days.endDay);
  if (mode !== undefined) query = query.where('mode', '=', mode);
  if (event !== undefined) query = query.where('eventType', '=', event);
  if (endpointId !== undefined) query = query.where('endpointId', '=', endpointId ?? '');
  return sql<number>`coalesce(${query.select((eb) => eb.fn.sum<number | null>('count').as('total'))}, 0)`;
}

/** One of the deliveries of an event to an endpoint, listed or replaced. */
export type DeliveryOfEvent = Pick<
  StoredDelivery,
  'id' | 'eventId' | 'endpointId' | 'status' | 'attempts' | 'nextAttemptAt'
>;

/** All deliveries of these events, replaced ones included. */
export async function deliveriesOfEvents(db: Db, eventIds: readonly string[]): Promise<DeliveryOfEvent[]> {
  if (eventIds.length === 0) return [];
  return db
    .selectFrom('deliveries')
    .select(['id', 'eventId', 'endpointId', 'status', 'attempts', 'nextAttemptAt'])
    .where('eventId', 'in', eventIds)
    .execute();
}

/** The result of an attempt, without request and response. */
export interface AttemptOutcome {
  readonly id: string;
  readonly deliveryId: string;
  readonly createdAt: number;
  readonly status: number;
  readonly durationMs: number;
  readonly error: string | null;
}

/** The newest log of each of these deliveries, where one is stored. */
export async function lastOutcomes(db: Db, deliveryIds: readonly string[]): Promise<AttemptOutcome[]> {
  if (deliveryIds.length === 0) return [];
  // In insertion order, which the index of deliveries has, so that no other log is read.
  const { rows } = await sql<AttemptOutcome>`
    SELECT id, delivery_id, created_at, status, duration_ms, error FROM webhook_logs WHERE rowid IN (
      SELECT max(rowid) FROM webhook_logs WHERE delivery_id IN (${sql.join(deliveryIds)}) GROUP BY delivery_id)`.execute(
    db,
  );
  return rows;
}
