import { sql } from 'kysely';
import type { Db } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

export interface TimelineRow {
  readonly type: string;
  readonly sequence: number;
  readonly at: number;
}

/** Events of a payment, oldest first, limited to the newest `limit`. */
export async function paymentTimeline(db: Db, paymentId: string, limit: number): Promise<TimelineRow[]> {
  const rows = await newest(db, { paymentId, limit });
  return rows.toReversed();
}

const newest = prepared((db, param: ParamOf<{ paymentId: string; limit: number }>) =>
  db
    .selectFrom('events')
    .select(['type', 'sequence', 'createdAt as at'])
    .where('paymentId', '=', param('paymentId'))
    // A range from payment.* to refund.*, because SQLite would build a temporary index from a list of words
    // at every run.
    .where(sql<boolean>`type >= 'payment.' and type < 'refund/'`)
    .orderBy('sequence', 'desc')
    .limit(param('limit')),
);

const updates = prepared((db, param: ParamOf<{ paymentId: string }>) =>
  db
    .selectFrom('events')
    .select('createdAt as at')
    .where('paymentId', '=', param('paymentId'))
    .where('type', '=', sql.lit('payment.updated' as const))
    .orderBy('sequence', 'desc')
    .limit(1),
);

/** When the terms of a payment were last changed; null: never. */
export async function lastUpdateTime(db: Db, paymentId: string): Promise<number | null> {
  return (await updates(db, { paymentId }))[0]?.at ?? null;
}
