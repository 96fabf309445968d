import { sql, type RawBuilder } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import { CAN_COST_MORE } from '../sends/send-status.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import type { NoticeConditionRow } from '../schema/notices.ts';

/** Every state that persists, or that ended less than a day ago, by key. */
export async function storedConditions(db: Db): Promise<Map<string, NoticeConditionRow>> {
  const rows = await db.selectFrom('notice_conditions').selectAll().execute();
  return new Map(rows.map((row) => [row.key, row]));
}

export async function upsertCondition(tx: Tx, row: NoticeConditionRow): Promise<void> {
  const { key: _, ...change } = row;
  await tx
    .insertInto('notice_conditions')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet(change))
    .execute();
}

export async function deleteCondition(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('notice_conditions').where('key', '=', key).execute();
}

/** An endpoint that answered 410, or whose last attempts failed. */
export interface TroubledEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  /** When it answered 410; null while it only fails. */
  readonly goneAt: number | null;
}

/** Number of consecutive failures from which an endpoint counts as failing. */
const FAILURES = 2;

/** Active endpoints that answered 410, and failing ones. */
export async function troubledEndpoints(db: Db): Promise<TroubledEndpoint[]> {
  const declared = await db
    .selectFrom('webhook_endpoints as endpoint')
    .leftJoin('endpoint_health as health', 'health.endpointId', 'endpoint.id')
    .select(['endpoint.id', 'endpoint.merchantId', 'endpoint.url', 'endpoint.goneAt'])
    .where('endpoint.active', '=', true)
    .where((eb) => eb.or([eb('endpoint.goneAt', 'is not', null), eb('health.failures', '>=', FAILURES)]))
    .execute();
  const merchantUrls = await db
    .selectFrom('merchants as shop')
    .leftJoin('endpoint_health as health', 'health.endpointId', 'shop.id')
    .leftJoin('gone_endpoints as gone', (join) =>
      join
        .onRef('gone.merchantId', '=', 'shop.id')
        .on('gone.paymentId', '=', '')
        .onRef('gone.url', '=', 'shop.webhookUrl'),
    )
    .select(['shop.id', 'shop.webhookUrl as url', 'gone.createdAt as goneAt'])
    .where('shop.webhookUrl', 'is not', null)
    .where('shop.webhookUrl', '<>', '')
    .where((eb) => eb.or([eb('gone.createdAt', 'is not', null), eb('health.failures', '>=', FAILURES)]))
    .execute();
  return [
    ...declared,
    ...merchantUrls.map(({ url, ...row }) => ({ ...row, merchantId: row.id, url: url ?? '' })),
  ];
}

/** Sends whose fee bump has waited for their fee budget since before a time, the longest waiting first. */
export async function feeLimitedSends(
  db: Db,
  before: number,
  limit: number,
): Promise<{ id: string; merchantId: string; coin: Coin; mode: Mode }[]> {
  return db
    .selectFrom('sends')
    .select(['id', 'merchantId', 'coin', 'mode'])
    .where(CAN_COST_MORE)
    .where('feeLimitedAt', '<', before)
    .orderBy('feeLimitedAt')
    .limit(limit)
    .execute();
}

/**
 * Unconfirmed sends since a time, including those that gather their outputs, oldest first; excludes sweeps,
 * which lose nothing by waiting.
 */
export async function unconfirmedSends(
  db: Db,
  before: number,
  limit: number,
): Promise<{ id: string; merchantId: string; coin: Coin; mode: Mode }[]> {
  const waiting = (status: RawBuilder<boolean>) =>
    db
      .selectFrom('sends')
      .select(['id', 'merchantId', 'coin', 'mode', 'createdAt'])
      .where(status)
      .where('purpose', '=', 'send')
      .where('createdAt', '<', before)
      .orderBy('createdAt')
      .limit(limit)
      .execute();
  // Each has its own index.
  const preparing = await waiting(sql`status = 'preparing' AND by_psbt = 0`);
  const open = await waiting(sql`status IN ('signed', 'broadcast')`);
  return [...preparing, ...open]
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .slice(0, limit)
    .map(({ createdAt: _at, ...send }) => send);
}
