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
  readonly merchant_id: string;
  readonly url: string;
  /** When it answered 410; null while it only fails. */
  readonly gone_at: number | null;
}

/** Number of consecutive failures from which an endpoint counts as failing. */
const FAILURES = 2;

/** Active endpoints that answered 410, and failing ones. */
export async function troubledEndpoints(db: Db): Promise<TroubledEndpoint[]> {
  const declared = await db
    .selectFrom('webhook_endpoints as endpoint')
    .leftJoin('endpoint_health as health', 'health.endpoint_id', 'endpoint.id')
    .select(['endpoint.id', 'endpoint.merchant_id', 'endpoint.url', 'endpoint.gone_at'])
    .where('endpoint.active', '=', 1)
    .where((eb) => eb.or([eb('endpoint.gone_at', 'is not', null), eb('health.failures', '>=', FAILURES)]))
    .execute();
  const merchantUrls = await db
    .selectFrom('merchants as shop')
    .leftJoin('endpoint_health as health', 'health.endpoint_id', 'shop.id')
    .leftJoin('gone_endpoints as gone', (join) =>
      join
        .onRef('gone.merchant_id', '=', 'shop.id')
        .on('gone.payment_id', '=', '')
        .onRef('gone.url', '=', 'shop.webhook_url'),
    )
    .select(['shop.id', 'shop.webhook_url as url', 'gone.created_at as gone_at'])
    .where('shop.webhook_url', 'is not', null)
    .where('shop.webhook_url', '<>', '')
    .where((eb) => eb.or([eb('gone.created_at', 'is not', null), eb('health.failures', '>=', FAILURES)]))
    .execute();
  return [
    ...declared,
    ...merchantUrls.map(({ url, ...row }) => ({ ...row, merchant_id: row.id, url: url ?? '' })),
  ];
}

/** Sends whose fee bump has waited for their fee budget since before a time, the longest waiting first. */
export async function feeLimitedSends(
  db: Db,
  before: number,
  limit: number,
): Promise<{ id: string; merchant_id: string; coin: Coin; mode: Mode }[]> {
  return db
    .selectFrom('sends')
    .select(['id', 'merchant_id', 'coin', 'mode'])
    .where(CAN_COST_MORE)
    .where('fee_limited_at', '<', before)
    .orderBy('fee_limited_at')
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
): Promise<{ id: string; merchant_id: string; coin: Coin; mode: Mode }[]> {
  const waiting = (status: RawBuilder<boolean>) =>
    db
      .selectFrom('sends')
      .select(['id', 'merchant_id', 'coin', 'mode', 'created_at'])
      .where(status)
      .where('purpose', '=', 'send')
      .where('created_at', '<', before)
      .orderBy('created_at')
      .limit(limit)
      .execute();
  // Each has its own index.
  const preparing = await waiting(sql`status = 'preparing'`);
  const open = await waiting(sql`status IN ('signed', 'broadcast')`);
  return [...preparing, ...open]
    .toSorted((a, b) => a.created_at - b.created_at)
    .slice(0, limit)
    .map(({ created_at: _at, ...send }) => send);
}
