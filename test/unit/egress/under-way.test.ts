import { performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { UnderWay, type Endable, type Ending } from '../../../src/egress/under-way.ts';

/** Something under way, and how and when it was ended. */
function journey(limitMs: number) {
  const ended = Promise.withResolvers<{ why: Ending; afterMs: number }>();
  const started = performance.now();
  const one: Endable = {
    deadlineMs: started + limitMs,
    end: (why) => ended.resolve({ why, afterMs: performance.now() - started }),
  };
  return { one, ended: ended.promise };
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}

it('ends each at its own time, in whatever order they came, and none before', async () => {
  const underWay = new UnderWay();
  const limits = [120, 40, 80, 40, 160];
  const journeys = limits.map(journey);
  for (const { one } of journeys) underWay.add(one);
  const endings = await Promise.all(journeys.map(({ ended }) => ended));
  for (const [at, { why, afterMs }] of endings.entries()) {
    expect(why).toBe('timeout');
    expect(afterMs).toBeGreaterThanOrEqual(limits[at] ?? 0);
    expect(afterMs).toBeLessThan((limits[at] ?? 0) + 1_000);
  }
});

it('leaves alone what is over, and goes on with the rest', async () => {
  const underWay = new UnderWay();
  const [over, late] = [journey(30), journey(60)];
  let wasEnded = false;
  void over.ended.then(() => (wasEnded = true));
  underWay.add(over.one);
  underWay.add(late.one);
  underWay.delete(over.one);
  expect(await late.ended).toMatchObject({ why: 'timeout' });
  expect(wasEnded).toBe(false);
});

it('works again after nothing was under way', async () => {
  const underWay = new UnderWay();
  const first = journey(10_000);
  underWay.add(first.one);
  underWay.delete(first.one);
  const second = journey(20);
  underWay.add(second.one);
  expect(await second.ended).toMatchObject({ why: 'timeout' });
});

it('ends all that belong to a signal when it gives up, by one listener', async () => {
  const stop = new AbortController();
  const underWay = UnderWay.of(stop.signal);
  expect(UnderWay.of(stop.signal)).toBe(underWay);
  const journeys = Array.from({ length: 50 }, () => journey(10_000));
  for (const { one } of journeys) underWay.add(one);
  const [over] = journeys;
  if (over === undefined) throw new Error('none');
  underWay.delete(over.one);
  stop.abort();
  const endings = await Promise.all(journeys.slice(1).map(({ ended }) => ended));
  expect(new Set(endings.map(({ why }) => why))).toEqual(new Set(['aborted']));
  for (const { one } of journeys) underWay.delete(one);
});

it('lets go of what is over: none of it outlives two collections of the young generation', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
  const underWay = new UnderWay();
  const current: Endable[] = [];
  const pass = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      // Some 5 kB, as a webhook with its body.
      const payload = Array.from({ length: 600 }, (_, number) => number + 0.5);
      const one = { deadlineMs: performance.now() + 60_000, end: () => void payload };
      underWay.add(one);
      current.push(one);
      const over = current.length > 40 ? current.shift() : undefined;
      if (over !== undefined) underWay.delete(over);
    }
  };
  pass(400);
  collect();
  const before = oldBytes();
  for (let round = 0; round < 20; round += 1) {
    pass(150);
    collect({ type: 'minor' });
  }
  // 3,000 of them went by: 15 MB.
  expect(oldBytes() - before).toBeLessThan(3_000_000);
  for (const one of current) underWay.delete(one);
});
