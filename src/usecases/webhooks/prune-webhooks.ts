import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  deleteSettledDeliveries,
  listDeliveredEventIds,
  listEventsAfter,
  replaceEventBody,
} from '../../store/webhooks/event-retention.ts';
import { readMeta, writeMeta } from '../../store/meta.ts';
import { deleteLogsBefore, deleteOldestLogs, sumLogBytes } from '../../store/webhooks/webhook-logs.ts';
import type { EventBody } from '../events/index.ts';

export interface PruneWebhooksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Retention {
  readonly logRetentionDays: number;
  /** Maximum size of all logs together. */
  readonly logMaxBytes: number;
}

export interface Pruned {
  readonly logs: number;
  readonly bytesFreed: number;
  readonly deliveries: number;
  readonly events: number;
}

const DAY_MS = 86_400_000;
/** Longer than a delivery can stay pending, regardless of the Retry-After of its receiver. */
const SHORTEST_EVENT_DAYS = 14;
const BATCH = 500;
/** Bounds one run; the next one continues. */
const MAX_BATCHES = 100;
const CURSOR = 'webhooks.pruned_event_seq';

/**
 * Bounds the webhook tables: deletes logs by age and size, settled deliveries by age, and the bodies of old events.
 * Small transactions, so that payments never wait long.
 */
export async function pruneWebhooks(deps: PruneWebhooksDeps, retention: Retention): Promise<Pruned> {
  const now = deps.clock.now();
  const keepEventsMs = Math.max(retention.logRetentionDays, SHORTEST_EVENT_DAYS) * DAY_MS;
  const logs = await inBatches(() =>
    deleteLogsBefore(deps.db, now - retention.logRetentionDays * DAY_MS, BATCH),
  );
  const bytesFreed = await shrinkLogs(deps.db, retention.logMaxBytes);
  const deliveries = await inBatches(() => deleteSettledDeliveries(deps.db, now - keepEventsMs, BATCH));
  const events = await inBatches(() => forgetBodies(deps.db, now - keepEventsMs));
  const pruned = { logs, bytesFreed, deliveries, events };
  if (logs + bytesFreed + deliveries + events > 0) deps.logger.info(pruned, 'webhook tables pruned');
  return pruned;
}

async function shrinkLogs(db: Db, maxBytes: number): Promise<number> {
  // Summed once, not per batch: the bytes that batches free are known.
  const excess = (await sumLogBytes(db)) - maxBytes;
  let freed = 0;
  for (let batch = 0; batch < MAX_BATCHES && freed < excess; batch += 1) {
    const bytes = await db.transaction((tx) => deleteOldestLogs(tx, excess - freed, BATCH));
    if (bytes === 0) break;
    freed += bytes;
  }
  return freed;
}

/** Clears the bodies of one batch of old events, except those whose deliveries are still stored. */
async function forgetBodies(db: Db, before: number): Promise<number> {
  return db.transaction(async (tx) => {
    const seq = Number((await readMeta(tx, CURSOR)) ?? 0);
    const events = await listEventsAfter(tx, { seq, before, limit: BATCH });
    const delivered = await listDeliveredEventIds(
      tx,
      events.map((event) => event.id),
    );
    const forgotten = events.filter((event) => !delivered.has(event.id));
    for (const event of forgotten) {
      const body = JSON.parse(event.body_json) as EventBody;
      await replaceEventBody(tx, event.id, JSON.stringify({ ...body, data: {}, truncated: true }));
    }
    const last = events.at(-1);
    if (last !== undefined) await writeMeta(tx, CURSOR, String(last.seq));
    return events.length;
  });
}

async function inBatches(next: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const done = await next();
    total += done;
    if (done < BATCH) break;
  }
  return total;
}
