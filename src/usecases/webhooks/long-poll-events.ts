import type { Mode } from '../../domain/coins.ts';
import { invalidField } from '../../domain/errors.ts';
import type { EventType } from '../../domain/events.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listEventsInRange, newestSeq, nextSeq } from '../../store/webhooks/events.ts';
import type { LongPollWaiters } from './long-poll-waiters.ts';
import { presentEvents, type EventView } from './list-events.ts';

export interface LongPollEventsInput {
  readonly merchantId: string;
  /** The last seq seen; 0 for the start. */
  readonly after: number;
  readonly limit: number;
  readonly mode?: Mode;
  readonly type?: EventType;
  readonly paymentId?: string;
  readonly subscriptionId?: string;
  /** Maximum wait for an event when there is none, ms; 0: do not wait. */
  readonly waitMs: number;
  /** Aborted when the client has disconnected. */
  readonly clientGone: () => AbortSignal;
}

interface EventPage {
  readonly events: EventView[];
  /** The last seq seen, for the next request. */
  readonly nextAfter: number;
}

/**
 * A merchant's events after a cursor, oldest first; waits for the next one when there is none yet.
 * @throws {AppError} VALIDATION_INVALID (after) for a cursor that this database never issued; RATE_LIMITED
 * when too many wait.
 */
export async function longPollEvents(
  deps: { readonly db: Db; readonly waiters: LongPollWaiters },
  input: LongPollEventsInput,
): Promise<EventPage> {
  const newest = (await nextSeq(deps.db)) - 1;
  if (input.after > newest) {
    const why = `must not be above ${newest}, the last event: is it the cursor of another shop or database?`;
    throw invalidField('after', why, 'unknown_cursor');
  }
  let range = await readEventPage(deps.db, input);
  if (range.events.length > 0 || input.waitMs === 0) return range;
  const waiter = deps.waiters.join(input.merchantId, {
    timeoutMs: input.waitMs,
    signal: input.clientGone(),
  });
  try {
    // Read once more before the first wait, because an event may have been stored between the first read and
    // joining.
    do range = await readEventPage(deps.db, { ...input, after: range.nextAfter });
    while (range.events.length === 0 && (await waiter.next()));
    return range;
  } finally {
    waiter.leave();
  }
}

async function readEventPage(db: Db, input: LongPollEventsInput): Promise<EventPage> {
  // Read before the events, so that later ones are left to the next read.
  const through = await newestSeq(db, input.merchantId);
  if (through <= input.after) return { events: [], nextAfter: input.after };
  const events = await listEventsInRange(db, { ...input, through });
  const last = events.length === input.limit ? events.at(-1) : undefined;
  return { events: await presentEvents(db, events), nextAfter: last?.seq ?? through };
}
