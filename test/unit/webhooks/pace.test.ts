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
  expect(await waited(30)).toBeGreaterThan(25);
  const longest = await waited(200);
  expect(longest).toBeGreaterThan(45);
  expect(longest).toBeLessThan(180);
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
