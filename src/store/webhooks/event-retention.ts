import { sql } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import type { StoredEvent } from './events.ts';

/** Deletes up to `limit` settled deliveries older than a time that no log refers to; returns how many. */
export async function deleteFinishedDeliveries(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('deliveries')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deliveries as old')
        .select('old.id')
        .where('old.status', '<>', sql.lit('pending'))
        .where('old.createdAt', '<', before)
        .where((inner) =>
          inner.not(
            inner.exists(
              inner
                .selectFrom('webhook_logs as log')
                .select('log.id')
                .whereRef('log.deliveryId', '=', 'old.id'),
            ),
          ),
        )
        .orderBy('old.createdAt')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** The next events after a position in the log that are older than a time, in order. */
export async function listEventsAfter(
  db: Db,
  range: { seq: number; before: number; limit: number },
): Promise<Pick<StoredEvent, 'id' | 'seq'>[]> {
  return db
    .selectFrom('events')
    .select(['id', 'seq'])
    .where('seq', '>', range.seq)
    .where('createdAt', '<', range.before)
    .orderBy('seq')
    .limit(range.limit)
    .execute();
}

/** The subset of these events that still have deliveries. */
export async function listDeliveredEventIds(db: Db, eventIds: readonly string[]): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('deliveries')
    .select('eventId')
    .distinct()
    .where('eventId', 'in', eventIds)
    .execute();
  return new Set(rows.map((row) => row.eventId));
}

/** Forgets the bodies of these events; the events stay. */
export async function deleteEventBodies(tx: Tx, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  await tx.updateTable('events').set({ bodyJson: null }).where('seq', 'in', seqs).execute();
}
