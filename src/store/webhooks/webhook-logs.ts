import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import type { Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import { compressJson } from '../sqlite/compressed-json.ts';
import { preparedInserts } from '../sqlite/prepared.ts';
import type { WebhookLogRow } from '../schema/webhooks.ts';
import type { StoredDelivery } from './deliveries.ts';
import { splitByDay, type SplitSpan } from '../payments/whole-days.ts';

/** A log row together with the event body that was posted. */
export type StoredWebhookLog = Selectable<WebhookLogRow> & {
  eventId: string;
  endpointId: string | null;
  /** State of its delivery. */
  state: DeliveryState;
  nextAttemptAt: number;
  bodyJson: string | null;
};

export type DeliveryState = StoredDelivery['status'];
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const satisfies readonly DeliveryState[];

const WITH_DELIVERY = [
  'deliveries.eventId',
  'deliveries.endpointId',
  'deliveries.status as state',
  'deliveries.nextAttemptAt',
  'events.bodyJson',
] as const;

/** The usual status of a response. */
const OK = 200;
/** Bytes a row needs besides its texts: ids, numbers and index entries. */
const ROW_OVERHEAD_BYTES = 400;

export type NewWebhookLog = Omit<Selectable<WebhookLogRow>, 'sizeBytes'>;

export async function insertWebhookLog(tx: Tx, ...logs: readonly NewWebhookLog[]): Promise<void> {
  await insertRows(tx, logs.map(toRow));
}

const insertRows = preparedInserts('webhook_logs');

function toRow(log: NewWebhookLog): Insertable<WebhookLogRow> {
  const exchangeJson = log.exchangeJson === null ? null : compressJson(log.exchangeJson);
  const texts = Buffer.byteLength(log.endpoint) + Buffer.byteLength(log.error ?? '');
  const sizeBytes = ROW_OVERHEAD_BYTES + texts + (exchangeJson?.length ?? 0);
  return { ...log, exchangeJson, sizeBytes };
}

export interface WebhookLogFilter {
  readonly merchantId: string;
  readonly status?: number;
  readonly paymentId?: string;
  /** Of its event at its endpoint: includes the logs of deliveries that it replaced, or that replaced it. */
  readonly deliveryId?: string;
  /** Mode of the event; both by default. */
  readonly mode?: Mode;
  /** The type of the event. */
  readonly event?: EventType;
  /** State of the delivery. */
  readonly state?: DeliveryState;
  /** Bounds of the creation time in ms, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly page: number;
  readonly limit: number;
}

/** One page of a merchant's logs, newest first, and the total number of matches. */
export async function listWebhookLogs(
  db: Db,
  filter: WebhookLogFilter,
): Promise<{ logs: StoredWebhookLog[]; total: number }> {
  const total = await totalLogs(db, filter);
  let query = filteredLogs(db, filter)
    .innerJoin('deliveries', 'deliveries.id', 'log.deliveryId')
    .innerJoin('events', 'events.id', 'deliveries.eventId');
  if (filter.mode === 'live') query = query.where('events.mode', '=', 'live');
  const logs = await query
    .selectAll('log')
    .select(WITH_DELIVERY)
    .orderBy('log.createdAt', 'desc')
    .orderBy('log.id', 'desc')
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit)
    .execute();
  return { logs, total };
}

function filteredLogs(db: Db, filter: WebhookLogFilter) {
  const { status } = filter;
  let query = matching(db, filter);
  if (status !== undefined) query = query.where('log.status', '=', status);
  // A literal, so that the planner uses the partial index of failures.
  if (status !== undefined && status !== OK) query = query.where(sql<boolean>`log.status <> 200`);
  if (filter.event !== undefined) query = query.where('log.eventType', '=', filter.event);
  if (filter.from !== undefined) query = query.where('log.createdAt', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('log.createdAt', '<=', filter.to);
  if (filter.mode === 'sandbox') query = query.where(isOfSandbox(filter.merchantId));
  return filter.state === undefined ? query : query.where(hasState(filter.merchantId, filter.state));
}

/** A live shop has few sandbox events, which lead to their logs. */
function isOfSandbox(merchantId: string): RawBuilder<boolean> {
  return sql`log.delivery_id IN (
    SELECT tried.id FROM events AS played JOIN deliveries AS tried ON tried.event_id = played.id
    WHERE played.merchant_id = ${merchantId} AND played.mode = 'sandbox')`;
}

/** Few deliveries are undelivered, and these lead to their logs; nearly all logs are of delivered ones. */
function hasState(merchantId: string, state: DeliveryState): RawBuilder<boolean> {
  if (state === 'delivered')
    return sql`EXISTS (SELECT 1 FROM deliveries AS its WHERE its.id = log.delivery_id AND its.status = 'delivered')`;
  return sql`log.delivery_id IN (
    SELECT its.id FROM deliveries AS its
    WHERE its.merchant_id = ${merchantId} AND its.status = ${sql.lit(state)} AND its.status <> 'delivered')`;
}

/** A merchant's logs, or one payment's, which are found through its few events and deliveries. */
function matching(db: Db, { merchantId, paymentId, deliveryId, state, mode }: WebhookLogFilter) {
  const logs = ofDelivery(db, merchantId, deliveryId);
  const isByDelivery =
    state === 'pending' || state === 'failed' || mode === 'sandbox' || deliveryId !== undefined;
  // Not as a plain column, because the planner would then scan all logs of the merchant.
  if (isByDelivery && paymentId === undefined) return logs.where(sql`log.merchant_id || ''`, '=', merchantId);
  if (paymentId === undefined) return logs.where('log.merchantId', '=', merchantId);
  return logs
    .where('log.paymentId', '=', paymentId)
    .where('log.deliveryId', 'in', (eb) =>
      eb
        .selectFrom('events as ofPayment')
        .innerJoin('deliveries as made', 'made.eventId', 'ofPayment.id')
        .select('made.id')
        .where('ofPayment.paymentId', '=', paymentId)
        .where('ofPayment.merchantId', '=', merchantId),
    );
}

function ofDelivery(db: Db, merchantId: string, deliveryId: string | undefined) {
  const logs = db.selectFrom('webhook_logs as log');
  if (deliveryId === undefined) return logs;
  return logs.where(
    sql<boolean>`log.delivery_id IN (
      SELECT another.id FROM deliveries AS asked JOIN deliveries AS another
        ON another.event_id = asked.event_id AND another.endpoint_id IS asked.endpoint_id
      WHERE asked.id = ${deliveryId} AND asked.merchant_id = ${merchantId})`,
  );
}

async function totalLogs(db: Db, filter: WebhookLogFilter): Promise<number> {
  const { mode, ...ofBoth } = filter;
  const total = mode === 'sandbox' ? counted(db, filter) : countTotal(db, ofBoth);
  const played = mode === 'live' ? counted(db, { ...ofBoth, mode: 'sandbox' }) : sql<number>`0`;
  // One statement, so that all parts belong to the same snapshot.
  const row = await db.selectNoFrom(sql<number>`${total} - ${played}`.as('total')).executeTakeFirstOrThrow();
  return row.total;
}

/** Number of matches in both modes together. */
function countTotal(db: Db, filter: WebhookLogFilter): RawBuilder<number> {
  const { state, ...any } = filter;
  const isDelivered = state === 'delivered' && filter.paymentId === undefined;
  const parts = isDelivered ? countParts(db, any) : countParts(db, filter);
  const others = isDelivered ? (['pending', 'failed'] as const) : [];
  const subtracted = others.map((other) => sql` - ${counted(db, { ...any, state: other })}`);
  return sql<number>`(${sql.join(parts, sql` + `)}${sql.join(subtracted, sql``)})`;
}

/**
 * Totals from the daily counts maintained by triggers. Logs themselves are counted for the two days that are
 * only partly in the range, and for a payment, a type of event or a state.
 */
function countParts(db: Db, filter: WebhookLogFilter): RawBuilder<number>[] {
  const { paymentId, deliveryId, event, state } = filter;
  const isByDay = [paymentId, deliveryId, event, state].every((value) => value === undefined);
  const days = isByDay ? splitByDay({ fromMs: filter.from, toMs: filter.to }) : null;
  if (days === null) return [counted(db, filter)];
  return [
    dayCounts(db, filter, days),
    ...days.ends.map(({ fromMs: from, toMs: to }) => counted(db, { ...filter, from, to })),
  ];
}

function counted(db: Db, filter: WebhookLogFilter): RawBuilder<number> {
  return sql<number>`${filteredLogs(db, filter).select((eb) => eb.fn.countAll<number>().as('total'))}`;
}

function dayCounts(db: Db, filter: WebhookLogFilter, days: SplitSpan): RawBuilder<number> {
  let query = db.selectFrom('webhook_log_counts').where('merchantId', '=', filter.merchantId);
  if (days.firstDay !== undefined) query = query.where('day', '>=', days.firstDay);
  if (days.endDay !== undefined) query = query.where('day', '<', days.endDay);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  return sql<number>`coalesce(${query.select((eb) => eb.fn.sum<number | null>('count').as('total'))}, 0)`;
}

/** One log of a merchant; logs of other merchants are not found. */
export async function findWebhookLog(
  db: Db,
  log: { merchantId: string; id: string },
): Promise<StoredWebhookLog | undefined> {
  return db
    .selectFrom('webhook_logs as log')
    .innerJoin('deliveries', 'deliveries.id', 'log.deliveryId')
    .innerJoin('events', 'events.id', 'deliveries.eventId')
    .selectAll('log')
    .select(WITH_DELIVERY)
    .where('log.id', '=', log.id)
    .where('log.merchantId', '=', log.merchantId)
    .executeTakeFirst();
}

/** The merchant of a log. */
export async function merchantOfLog(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('webhook_logs')
    .select('merchantId')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.merchantId;
}

/** The newest log of a delivery. */
export async function findLatestLog(
  db: Db,
  deliveryId: string,
): Promise<Selectable<WebhookLogRow> | undefined> {
  return db
    .selectFrom('webhook_logs')
    .selectAll()
    .where('deliveryId', '=', deliveryId)
    .orderBy('attempt', 'desc')
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Approximate size of all logs: from the daily sums maintained by triggers. */
export async function sumLogBytes(db: Db): Promise<number> {
  const row = await db
    .selectFrom('webhook_log_counts')
    .select((eb) => eb.fn.sum<number | null>('bytes').as('bytes'))
    .executeTakeFirst();
  return row?.bytes ?? 0;
}

/** Deletes up to `limit` of the logs older than a time; returns how many. */
export async function deleteLogsBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('webhook_logs')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('webhook_logs')
        .select('id')
        .where('createdAt', '<', before)
        .orderBy('createdAt')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes the oldest logs, `limit` at most, until all together are no larger than this; returns how many. */
export async function deleteLogsBeyond(db: Db, maxBytes: number, limit: number): Promise<number> {
  return db.transaction(async (tx) => deleteOldestLogs(tx, (await sumLogBytes(tx)) - maxBytes, limit));
}

/** Deletes the oldest logs, `limit` at most, until `bytes` are freed; returns how many. */
export async function deleteOldestLogs(tx: Tx, bytes: number, limit: number): Promise<number> {
  if (bytes <= 0) return 0;
  const oldest = await tx
    .selectFrom('webhook_logs')
    .select(['id', 'sizeBytes'])
    .orderBy('createdAt')
    .orderBy('id')
    .limit(limit)
    .execute();
  let freed = 0;
  const ids: string[] = [];
  for (const log of oldest) {
    if (freed >= bytes) break;
    freed += log.sizeBytes;
    ids.push(log.id);
  }
  if (ids.length > 0) await tx.deleteFrom('webhook_logs').where('id', 'in', ids).execute();
  return ids.length;
}
