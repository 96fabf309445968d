import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RetryBackoff } from '../../../src/usecases/wallet/lifecycle/retry-backoff.ts';
import { TestClock } from '../../_helpers/wallet-world.ts';

const LIMITS = { most: 3, restMs: 1_000, maxRestMs: 4_000 };

test('RetryBackoff delays an item after a failure, longer after each further one, up to a maximum', () => {
  const clock = new TestClock();
  const setbacks = new RetryBackoff(clock, LIMITS);
  for (const restMs of [1_000, 2_000, 4_000, 4_000]) {
    setbacks.recordFailure('a', 'no');
    clock.advance(restMs - 1);
    expect(setbacks.isResting('a')).toBe(true);
    clock.advance(1);
    expect(setbacks.isResting('a')).toBe(false);
    expect(setbacks.retriable()).toEqual(['a']);
  }
  setbacks.recordSuccess('a');
  expect(setbacks.all()).toEqual([]);
  expect(setbacks.failures('a')).toBe(0);
});

test('RetryBackoff does not count a node error as a failure of the item, and adds no delay', () => {
  const clock = new TestClock();
  const setbacks = new RetryBackoff(clock, LIMITS);
  for (let time = 0; time < 5; time += 1) {
    setbacks.recordFailure('a', 'down', 'node');
    expect(setbacks.failures('a')).toBe(0);
    expect(setbacks.isResting('a')).toBe(false);
  }
  setbacks.recordFailure('a', 'no');
  clock.advance(1_000);
  expect(setbacks.isResting('a')).toBe(false);
});

test('RetryBackoff reports a failure the first time and when its reason changes', () => {
  const setbacks = new RetryBackoff(new TestClock(), LIMITS);
  const said = ['no', 'no', 'never', 'never', 'no'].map((reason) => setbacks.recordFailure('a', reason));
  expect(said).toEqual([true, false, true, false, true]);
  setbacks.recordSuccess('a');
  expect(setbacks.recordFailure('a', 'no')).toBe(true);
});

test('RetryBackoff does not delay an item whose failure has a time in the future after the clock was set back', () => {
  const clock = new TestClock();
  const setbacks = new RetryBackoff(clock, LIMITS);
  setbacks.recordFailure('a', 'no');
  clock.advance(-1);
  expect(setbacks.isResting('a')).toBe(false);
});

test('RetryBackoff remembers a bounded number of items, and retries the least recently tried first', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 30 }), (keys) => {
      const setbacks = new RetryBackoff(new TestClock(), LIMITS);
      for (const key of keys) setbacks.recordFailure(key, 'no');
      const lastTried = [...new Set(keys.toReversed())].slice(0, LIMITS.most).toReversed();
      expect(setbacks.all()).toEqual(lastTried);
    }),
  );
});
