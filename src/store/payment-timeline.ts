import { PAYMENT_EVENT_TYPES } from '../domain/payment/types.ts';
import type { Db } from './database.ts';

export interface TimelineRow {
  readonly type: string;
  readonly sequence: number;
  readonly at: number;
}

/** What was told about a payment, oldest first, cut to the newest `limit`. */
export async function paymentTimeline(db: Db, paymentId: string, limit: number): Promise<TimelineRow[]> {
  const rows = await db
    .selectFrom('events')
    .select(['type', 'sequence', 'created_at as at'])
    .where('payment_id', '=', paymentId)
    .where('type', 'in', PAYMENT_EVENT_TYPES)
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute();
  return rows.toReversed();
}
