import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Pace } from '../../../src/webhooks/pace.ts';

it('takes webhooks in small pieces while requests come in, and in large ones a moment after the last', () => {
  let now = 10_000;
  const pace = new Pace(() => now);
  expect(pace.most).toBe(256);
  pace.asked();
  expect(pace.most).toBe(8);
  now += 249;
  expect(pace.most).toBe(8);
  now += 1;
  expect(pace.most).toBe(256);
});

it('leaves the loop to requests for as long as a piece took, but never for longer than a slow disk', async () => {
  let now = 0;
  const pace = new Pace(() => now);
  const waited = async (tookMs: number) => {
    pace.asked();
    const end = pace.begin();
    now += tookMs;
    const started = performance.now();
    await end();
    return performance.now() - started;
  };
  expect(await waited(8)).toBeGreaterThan(6);
  const longest = await waited(200);
  expect(longest).toBeGreaterThan(8);
  expect(longest).toBeLessThan(150);
});

it('takes more at once where pieces take long anyway, up to a bound', async () => {
  let now = 0;
  const pace = new Pace(() => now);
  const mostAfter = async (tookMs: number) => {
    const end = pace.begin();
    now += tookMs;
    pace.asked();
    await end();
    return pace.most;
  };
  expect([await mostAfter(2), await mostAfter(20), await mostAfter(500), await mostAfter(2)]).toEqual([
    8, 20, 32, 8,
  ]);
});

it('leaves the loop for one turn while nobody asks', async () => {
  let now = 0;
  const pace = new Pace(() => now);
  const end = pace.begin();
  now += 200;
  let turns = 0;
  const ended = end().then(() => turns);
  while (turns < 3) {
    await nextTurn();
    turns += 1;
  }
  expect(await ended).toBeLessThan(3);
});

it('begins a few within one turn of the loop, whoever asks, and all of them in order', async () => {
  const pace = new Pace();
  const begun: number[] = [];
  const perTurn: number[] = [];
  const all = Array.from({ length: 20 }, (_, number) => number);
  const done = pace.inTurns(all, (each) => void begun.push(each));
  for (let turn = 0; turn < 4; turn += 1) {
    perTurn.push(begun.length);
    await nextTurn();
  }
  await done;
  expect(begun).toEqual(all);
  expect(perTurn).toEqual([8, 16, 20, 20]);
});

it('lets no more be begun beside requests than two pieces ahead of what is recorded', () => {
  let now = 0;
  const pace = new Pace(() => now);
  pace.asked();
  expect([0, 8, 9, 15, 16, 200].map((unrecorded) => Math.max(0, pace.mostBegun(unrecorded)))).toEqual([
    8, 8, 7, 1, 0, 0,
  ]);
  now += 300;
  expect(pace.mostBegun(200)).toBe(256);
});
