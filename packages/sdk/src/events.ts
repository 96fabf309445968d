import type { ListedEvent, Query } from './contract.ts';
import { TilldError } from './errors.ts';
import { backoff, sleep, type Call, type CallOptions } from './request.ts';

type Filter = Pick<NonNullable<Query<'GET', '/merchant/events'>>, 'type' | 'paymentId'>;

export interface SinceOptions extends Filter, CallOptions {
  /** The `seq` of the last event that was handled; 0 is the start. */
  readonly after: number;
}

export interface FollowOptions extends SinceOptions {
  /** Seconds that one request waits for an event, 1 to 30; 30 by default. */
  readonly wait?: number;
  /** Hears why the daemon could not be asked just now; it is asked again. */
  readonly onError?: (error: TilldError) => void;
}

interface Answer {
  readonly events: readonly ListedEvent[];
  readonly nextAfter: number;
}

const PAGE = 100;
const LONGEST_PAUSE_MS = 30_000;

function ask(
  call: Call,
  { after, type, paymentId, ...options }: SinceOptions,
  wait?: number,
): Promise<Answer> {
  const query = { after, wait, limit: PAGE, type, paymentId };
  return call({ method: 'GET', path: '/merchant/events', query, options }) as Promise<Answer>;
}

/** Every event after a cursor up to the present, oldest first. */
export async function* eventsSince(call: Call, options: SinceOptions): AsyncGenerator<ListedEvent, void> {
  for (let { after } = options; ;) {
    const { events, nextAfter } = await ask(call, { ...options, after });
    yield* events;
    if (events.length === 0) return;
    after = nextAfter;
  }
}

/**
 * Every event after a cursor, oldest first, and those to come, until the signal ends it. While the daemon is away or
 * has troubles of its own it is asked again and again; what cannot become better, such as a revoked key, is thrown.
 */
export async function* followEvents(call: Call, options: FollowOptions): AsyncGenerator<ListedEvent, void> {
  const { signal, wait = 30, onError, timeoutMs = 30_000, ...rest } = options;
  if (!(wait >= 1 && wait <= 30)) throw new RangeError('wait must be 1 to 30 seconds');
  let { after } = options;
  let failures = 0;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    try {
      const asked = { ...rest, after, retries: 0, timeoutMs: timeoutMs + wait * 1000 };
      const answer = await ask(call, signal === undefined ? asked : { ...asked, signal }, wait);
      failures = 0;
      for (const event of answer.events) {
        if (isOver()) return;
        yield event;
      }
      after = answer.nextAfter;
    } catch (error) {
      if (isOver()) return;
      if (!(error instanceof TilldError) || !(error.retryable || error.status >= 500)) throw error;
      onError?.(error);
      await sleep(Math.max(error.retryAfterMs ?? 0, Math.min(backoff(failures), LONGEST_PAUSE_MS)), signal);
      failures += 1;
    }
  }
}
