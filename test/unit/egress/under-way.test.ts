import { performance } from 'node:perf_hooks';
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
