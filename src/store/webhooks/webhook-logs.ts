import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import { preparedInserts } from '../sqlite/prepared.ts';
import type { WebhookLogRow } from '../schema/webhooks.ts';
import { splitByDay, type SplitSpan } from '../payments/whole-days.ts';

/** A log row together with the event body that was posted. */
export type StoredWebhookLog = Selectable<WebhookLogRow> & {
  event_id: string;
  endpoint_id: string | null;
  body_json: string;
};

/** The status of nearly every answer. */
const OK = 200;
/** Bytes a row needs besides its texts: ids, numbers and index entries. */
const ROW_OVERHEAD_BYTES = 400;

export type NewWebhookLog = Omit<Selectable<WebhookLogRow>, 'size_bytes'>;

export async function insertWebhookLog(tx: Tx, ...logs: readonly NewWebhookLog[]): Promise<void> {
  await insertRows(
    tx,
    logs.map((log) => ({ ...log, size_bytes: sizeOf(log) })),
  );
}

const insertRows = preparedInserts('webhook_logs');

function sizeOf(log: NewWebhookLog): number {
  const texts = Buffer.byteLength(log.endpoint) + Buffer.byteLength(log.error ?? '');
  const exchange = Buffer.byteLength(log.request_json) + Buffer.byteLength(log.response_json);
  return ROW_OVERHEAD_BYTES + texts + exchange;
}

export interface WebhookLogFilter {
  readonly merchantId: string;
  readonly status?: number;
  readonly paymentId?: string;
  /** Bounds of the creation time in ms, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly page: number;
  readonly limit: number;
}

/** One page of a merchant's logs, newest first, and how many match in all. */
export async function listWebhookLogs(
  db: Db,
  filter: WebhookLogFilter,
): Promise<{ logs: StoredWebhookLog[]; total: number }> {
  const total = await totalLogs(db, filter);
  const logs = await filteredLogs(db, filter)
    .innerJoin('deliveries', 'deliveries.id', 'log.delivery_id')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('log')
    .select(['deliveries.event_id', 'deliveries.endpoint_id', 'events.body_json'])
    .orderBy('log.created_at', 'desc')
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
  // Written out, so that the planner uses the partial index of failures.
  if (status !== undefined && status !== OK) query = query.where(sql<boolean>`log.status <> 200`);
  if (filter.from !== undefined) query = query.where('log.created_at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('log.created_at', '<=', filter.to);
  return query;
}

/** A merchant's logs, or one payment's, which are found through its few events and deliveries. */
function matching(db: Db, { merchantId, paymentId }: WebhookLogFilter) {
  const logs = db.selectFrom('webhook_logs as log');
  if (paymentId === undefined) return logs.where('log.merchant_id', '=', merchantId);
  return logs
    .where('log.payment_id', '=', paymentId)
    .where('log.delivery_id', 'in', (eb) =>
      eb
        .selectFrom('events as of_payment')
        .innerJoin('deliveries as made', 'made.event_id', 'of_payment.id')
        .select('made.id')
        .where('of_payment.payment_id', '=', paymentId)
        .where('of_payment.merchant_id', '=', merchantId),
    );
}

/**
 * From the counts that triggers keep by the day; logs themselves are counted of the two days that a time has in
 * part, and of a payment.
 */
async function totalLogs(db: Db, filter: WebhookLogFilter): Promise<number> {
  const days = filter.paymentId === undefined ? splitByDay({ fromMs: filter.from, toMs: filter.to }) : null;
  const parts =
    days === null
      ? [counted(db, filter)]
      : [
          dayCounts(db, filter, days),
          ...days.ends.map(({ fromMs: from, toMs: to }) => counted(db, { ...filter, from, to })),
        ];
  // One statement, so that all parts belong to the same snapshot.
  const { total } = await db
    .selectNoFrom(sql<number>`${sql.join(parts, sql` + `)}`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function counted(db: Db, filter: WebhookLogFilter): RawBuilder<number> {
  return sql<number>`${filteredLogs(db, filter).select((eb) => eb.fn.countAll<number>().as('total'))}`;
}

function dayCounts(db: Db, filter: WebhookLogFilter, days: SplitSpan): RawBuilder<number> {
  let query = db.selectFrom('webhook_log_counts').where('merchant_id', '=', filter.merchantId);
  if (days.firstDay !== undefined) query = query.where('day', '>=', days.firstDay);
  if (days.endDay !== undefined) query = query.where('day', '<', days.endDay);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  return sql<number>`coalesce(${query.select((eb) => eb.fn.sum<number | null>('count').as('total'))}, 0)`;
}

/** One log of a merchant; another merchant's log does not exist. */
export async function findWebhookLog(
  db: Db,
  log: { merchantId: string; id: string },
): Promise<StoredWebhookLog | undefined> {
  return db
    .selectFrom('webhook_logs as log')
    .innerJoin('deliveries', 'deliveries.id', 'log.delivery_id')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('log')
    .select(['deliveries.event_id', 'deliveries.endpoint_id', 'events.body_json'])
    .where('log.id', '=', log.id)
    .where('log.merchant_id', '=', log.merchantId)
    .executeTakeFirst();
}

/** The merchant of a log. */
export async function merchantOfLog(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('webhook_logs')
    .select('merchant_id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.merchant_id;
}

/** The newest log of a delivery. */
export async function findLatestLog(
  db: Db,
  deliveryId: string,
): Promise<Selectable<WebhookLogRow> | undefined> {
  return db
    .selectFrom('webhook_logs')
    .selectAll()
    .where('delivery_id', '=', deliveryId)
    .orderBy('attempt', 'desc')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Bytes all logs take together, roughly: from the sums that triggers keep by the day. */
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
        .where('created_at', '<', before)
        .orderBy('created_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes the oldest logs, `limit` at most, until `bytes` are freed; returns the bytes freed. */
export async function deleteOldestLogs(tx: Tx, bytes: number, limit: number): Promise<number> {
  const oldest = await tx
    .selectFrom('webhook_logs')
    .select(['id', 'size_bytes'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  let freed = 0;
  const ids: string[] = [];
  for (const log of oldest) {
    if (freed >= bytes) break;
    freed += log.size_bytes;
    ids.push(log.id);
  }
  if (ids.length > 0) await tx.deleteFrom('webhook_logs').where('id', 'in', ids).execute();
  return freed;
}
