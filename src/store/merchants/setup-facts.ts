import { sql } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/** Maximum number of recent webhook attempts to read, which bounds the work, not the result. */
const PAYMENTS_CHECKED = 1_000;

/** Whether any payment of a merchant was ever completed in a mode, even if refunded since. */
export async function hasPaidPayment(db: Db, merchantId: string, mode: Mode): Promise<boolean> {
  const row = await db
    .selectFrom('payments')
    .select('id')
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('status', 'in', ['completed', 'refunded'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** When one of the newest webhook attempts of a merchant succeeded, at any URL; null when none did. */
export async function newestWebhookSuccess(db: Db, merchantId: string): Promise<number | null> {
  const newest = db
    .selectFrom('webhook_logs')
    .select(['createdAt', 'status'])
    .where('merchantId', '=', merchantId)
    .orderBy('createdAt', 'desc')
    .limit(PAYMENTS_CHECKED);
  const row = await db
    .selectFrom(newest.as('newest'))
    .select(sql<number | null>`max(created_at)`.as('at'))
    .where('status', '>=', 200)
    .where('status', '<', 300)
    .executeTakeFirst();
  return row?.at ?? null;
}
