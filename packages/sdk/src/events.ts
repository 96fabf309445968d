import type { ListedEvent, Query } from './contract.ts';
import { TilldError } from './errors.ts';
import { backoff, sleep, type Call, type CallOptions } from './request.ts';

type Filter = Pick<NonNullable<Query<'GET', '/merchant/events'>>, 'type' | 'paymentId' | 'subscriptionId'>;

export interface SinceOptions extends Filter, CallOptions {
  /** The `seq` of the last processed event; 0 is the start. */
  readonly after: number;
}

export interface FollowOptions extends SinceOptions {
  /** Seconds that one request waits for an event (long poll), 1 to 30; 30 by default. */
  readonly wait?: number;
  /** Called with the error of a failed request, which is retried. */
  readonly onError?: (error: TilldError) => void;
}

const PAGE = 100;
/** Pause between two empty responses, in case the server does not wait. */
const SHORTEST_ROUND_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
const LONGEST_PAUSE_MS = 300_000;

interface Stretch {
  readonly events: readonly ListedEvent[];
  /** The next cursor; never before the requested one. */
  readonly after: number;
}

/** Events after a cursor; earlier ones are dropped, whatever the server returns. */
async function requestEvents(call: Call, request: SinceOptions, wait?: number): Promise<Stretch> {
  const { after, type, paymentId, subscriptionId, ...options } = request;
  const query = { after, wait, limit: PAGE, type, paymentId, subscriptionId };
  const answer = (await call({ method: 'GET', path: '/merchant/events', query, options })) as {
    readonly events: readonly ListedEvent[];
    readonly nextAfter: number;
  };
  if (!Number.isSafeInteger(answer.nextAfter))
    throw new TilldError({
      code: 'UNREADABLE',
      message: 'GET /merchant/events was answered without nextAfter',
    });
  const events = answer.events.filter(({ seq }) => seq > after);
  return { events, after: Math.max(after, answer.nextAfter, ...events.map(({ seq }) => seq)) };
}

/** Every event after a cursor up to now, oldest first. */
export async function* eventsSince(call: Call, options: SinceOptions): AsyncGenerator<ListedEvent, void> {
  for (let { after } = options; ;) {
    const stretch = await requestEvents(call, { ...options, after });
    yield* stretch.events;
    if (stretch.events.length === 0) return;
    after = stretch.after;
  }
}

/**
 * Every event after a cursor, oldest first, and future ones, until the signal is aborted. While the daemon is
 * unreachable or fails, requests are retried; permanent errors, such as a revoked key, are thrown.
 */
export async function* followEvents(call: Call, options: FollowOptions): AsyncGenerator<ListedEvent, void> {
  const { signal, wait = 30, onError, timeoutMs = 30_000, ...rest } = options;
  if (!(wait >= 1 && wait <= 30)) throw new RangeError('wait must be 1 to 30 seconds');
  const request = { ...rest, retries: 0, timeoutMs: timeoutMs + wait * 1000, ...(signal && { signal }) };
  const isOver = (): boolean => signal?.aborted === true;
  let { after } = options;
  let failures = 0;
  while (!isOver()) {
    const startedMs = Date.now();
    const stretch = await requestEvents(call, { ...request, after }, wait).catch((error: unknown) => {
      const mayPass = error instanceof TilldError && (error.retryable || error.status >= 500);
      if (mayPass || isOver()) return error as TilldError;
      throw error;
    });
    if (isOver()) return;
    if (stretch instanceof TilldError) {
      onError?.(stretch);
      await sleep(pauseAfter(stretch, failures), signal);
      failures += 1;
      continue;
    }
    failures = 0;
    after = stretch.after;
    for (const event of stretch.events) {
      yield event;
      if (isOver()) return;
    }
    if (stretch.events.length === 0) await sleep(startedMs + SHORTEST_ROUND_MS - Date.now(), signal);
  }
}

/** The server's Retry-After, up to a limit, and a growing backoff with consecutive failures. */
function pauseAfter({ retryAfterMs }: TilldError, failures: number): number {
  const backedOff = Math.min(backoff(failures), LONGEST_BACKOFF_MS);
  return Math.min(Math.max(retryAfterMs ?? 0, backedOff), LONGEST_PAUSE_MS);
}
