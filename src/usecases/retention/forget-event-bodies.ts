import { readMeta, writeMeta } from '../../store/meta.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  deleteEventBodies,
  listDeliveredEventIds,
  listEventsAfter,
} from '../../store/webhooks/event-retention.ts';

const CURSOR = 'webhooks.pruned_event_seq';

/**
 * Clears the bodies of one batch of events from before a time, except those whose deliveries are still kept. The events
 * stay. @returns how many were read
 */
export async function forgetEventBodies(db: Db, before: number, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const seq = Number((await readMeta(tx, CURSOR)) ?? 0);
    const events = await listEventsAfter(tx, { seq, before, limit });
    const kept = await listDeliveredEventIds(
      tx,
      events.map((event) => event.id),
    );
    const forgotten = events.filter((event) => !kept.has(event.id));
    await deleteEventBodies(
      tx,
      forgotten.map((event) => event.seq),
    );
    const last = events.at(-1);
    if (last !== undefined) await writeMeta(tx, CURSOR, String(last.seq));
    return events.length;
  });
}
