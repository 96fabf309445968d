import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LongPollWaiters } from '../../../src/usecases/webhooks/long-poll-waiters.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const until = (signal = new AbortController().signal) => ({ timeoutMs: 30_000, signal });

it('LongPollWaiters wakes the long polls of the merchant of an event, also one emitted just before the request', async () => {
  const waiters = new LongPollWaiters();
  const [mine, other] = [waiters.join('m', until()), waiters.join('o', until())];
  const woken = mine.next();
  waiters.wake('m');
  expect(await woken).toBe(true);
  waiters.wake('o');
  expect(await other.next()).toBe(true);
  const ended = Promise.all([mine.next(), other.next()]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await ended).toEqual([false, false]);
});

it('LongPollWaiters ends a long poll by timeout, by a disconnect of the client, and by the stop of the daemon', async () => {
  const waiters = new LongPollWaiters();
  const timed = waiters.join('m', until()).next();
  await vi.advanceTimersByTimeAsync(29_999);
  const client = new AbortController();
  const left = waiters.join('m', until(client.signal)).next();
  client.abort();
  expect(await left).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await timed).toBe(false);
  expect(await waiters.join('m', until(AbortSignal.abort())).next()).toBe(false);
  const stopped = waiters.join('m', until()).next();
  waiters.close();
  expect(await stopped).toBe(false);
  expect(await waiters.join('m', until()).next()).toBe(false);
});

it('LongPollWaiters limits the long polls in total and per merchant, and forgets disconnected clients', () => {
  const waiters = new LongPollWaiters({ total: 3, crowded: 3, perMerchant: 2 });
  const [first] = [waiters.join('a', until()), waiters.join('a', until())];
  expect(() => waiters.join('a', until())).toThrow(
    expect.objectContaining({ code: 'RATE_LIMITED', retryAfterMs: 1_000 }),
  );
  waiters.join('b', until());
  expect(() => waiters.join('c', until())).toThrow('Too many requests');
  first?.leave();
  first?.leave();
  expect(waiters.count).toBe(2);
  waiters.join('a', until());
  expect(() => waiters.join('c', until())).toThrow('Too many requests');
  expect(vi.getTimerCount()).toBe(3);
});

it('LongPollWaiters does not let a few merchants with many long polls exclude the others', () => {
  const waiters = new LongPollWaiters({ total: 6, crowded: 4, perMerchant: 2 });
  for (const merchant of ['a', 'a', 'b', 'b']) waiters.join(merchant, until());
  waiters.join('c', until());
  expect(() => waiters.join('c', until())).toThrow('Too many requests');
  waiters.join('d', until());
  expect(() => waiters.join('e', until())).toThrow('Too many requests');
});
