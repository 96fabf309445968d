import { expect, it } from 'vitest';
import type { LeasedDelivery } from '../../../src/webhooks/attempt-delivery.ts';
import { LeasedAhead } from '../../../src/webhooks/leased-ahead.ts';

let now = 0;
const quick = { isSuccess: true, durationMs: 5 };

function ahead(limits = { total: 6, perOrigin: 3 }): LeasedAhead {
  return new LeasedAhead(limits, () => now);
}

function leased(id: string, origin: string): LeasedDelivery {
  return { delivery: { id, origin } } as LeasedDelivery;
}

/** Lets so many wait for an origin, as far as there is room; answers how many. */
function fill(queue: LeasedAhead, origin: string, count: number): number {
  let added = 0;
  for (; added < count && queue.promise(origin); added += 1) queue.add(leased(`${origin}${added}`, origin));
  return added;
}

const all = () => true;
const onlyB = (origin: string) => origin === 'b';
const idOf = (one: LeasedDelivery | undefined) => one?.delivery.id;

it('leases ahead only for endpoints whose last answer was a quick success, within bounds', () => {
  const queue = ahead();
  expect([queue.room, fill(queue, 'a', 9)]).toEqual([0, 0]);
  for (const origin of ['a', 'b', 'c']) queue.answered(origin, quick);
  expect(queue.room).toBe(6);
  expect([fill(queue, 'a', 9), fill(queue, 'b', 2), fill(queue, 'c', 9)]).toEqual([3, 2, 1]);
  expect([queue.size, queue.room, queue.hasRoom('b')]).toEqual([6, 0, false]);
});

it('serves endpoints in turn, each in its order, and only those that may start', () => {
  const queue = ahead();
  for (const origin of ['a', 'b']) queue.answered(origin, quick);
  fill(queue, 'a', 3);
  fill(queue, 'b', 2);
  expect([idOf(queue.next(all)), idOf(queue.next(all))]).toEqual(['a0', 'b0']);
  expect([idOf(queue.next(onlyB)), queue.next(onlyB)]).toEqual(['b1', undefined]);
  expect([idOf(queue.next(all)), idOf(queue.next(all)), queue.next(all)]).toEqual(['a1', 'a2', undefined]);
  expect(queue.size).toBe(0);
});

it.each([
  ['fails', { isSuccess: false, durationMs: 1 }],
  ['is slow', { isSuccess: true, durationMs: 101 }],
])('lets nothing wait for an endpoint that %s', (_how, answer) => {
  const queue = ahead();
  for (const origin of ['a', 'b']) queue.answered(origin, quick);
  fill(queue, 'a', 2);
  fill(queue, 'b', 2);
  expect(queue.answered('a', answer).map(idOf)).toEqual(['a0', 'a1']);
  expect([queue.hasRoom('a'), queue.ids()]).toEqual([false, ['b0', 'b1']]);
});

it('starts nothing that has waited for long, and hands it back with what is behind it', () => {
  const queue = ahead();
  for (const origin of ['a', 'b']) queue.answered(origin, quick);
  fill(queue, 'a', 1);
  now += 1_500;
  fill(queue, 'a', 1);
  fill(queue, 'b', 1);
  expect(queue.dropStale()).toEqual([]);
  now += 501;
  expect(idOf(queue.next(() => true))).toBe('b0');
  expect(queue.next(() => true)).toBeUndefined();
  expect(queue.dropStale()).toHaveLength(2);
  expect(queue.size).toBe(0);
});

it('takes out one that is wanted at once, and gives back the room of what was not leased', () => {
  const queue = ahead();
  queue.answered('a', quick);
  fill(queue, 'a', 3);
  expect(idOf(queue.take('a1'))).toBe('a1');
  expect(queue.take('a1')).toBeUndefined();
  expect(queue.promise('a')).toBe(true);
  expect(queue.promise('a')).toBe(false);
  queue.giveBack('a');
  expect(queue.dropAll().map(idOf)).toEqual(['a0', 'a2']);
  expect(queue.size).toBe(0);
});
