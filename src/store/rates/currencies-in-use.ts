import { sql } from 'kysely';
import type { Db } from '../sqlite/database.ts';

/** Maximum open payments read for their currency, those that expire last first. */
const MAX_OPEN = 10_000;

/**
 * The currencies of shops, of their prices, links and subscriptions, and of open payments, whose rates must
 * always be available.
 */
export async function currenciesInUse(db: Db): Promise<string[]> {
  const open = db
    .selectFrom('payments')
    .select('currency')
    .where(sql<boolean>`closed_at is null and status in ('pending', 'underpaid')`)
    .where('expiresAt', '>', 0)
    .orderBy('expiresAt', 'desc')
    .limit(MAX_OPEN);
  const rows = await db
    .selectFrom(open.as('open'))
    .select('currency')
    .union(db.selectFrom('merchants').select('currency'))
    .union(db.selectFrom('prices').select('currency'))
    .union(db.selectFrom('subscriptions').select('currency').where('nextDecisionAt', 'is not', null))
    .union(
      db
        .selectFrom('payment_links')
        .select('currency')
        .where('currency', 'is not', null)
        .$narrowType<{ currency: string }>(),
    )
    .execute();
  return rows.map(({ currency }) => currency);
}
