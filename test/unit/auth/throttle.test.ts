import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket, Backoff } from '../../../src/usecases/accounts/sessions/throttle.ts';

const POLICY = { free: 3, firstWaitMs: 1000, longestWaitMs: 60_000, forgetMs: 600_000 };

function backoff() {
  const time = { now: 1_000_000 };
  return { time, throttle: new Backoff({ now: () => time.now }, POLICY) };
}

function allowance(burst = 4, everyMs = 1000) {
  const time = { now: 1_000_000 };
  return { time, throttle: new TokenBucket({ now: () => time.now }, { burst, everyMs }) };
}

describe('Backoff of failed attempts', () => {
  it('allows the first failures without a delay, then doubles the delay up to its maximum', () => {
    const { time, throttle } = backoff();
    const waits: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      expect(throttle.take('k')).toBe(0);
      const waitMs = throttle.take('k');
      if (waitMs === 0) continue;
      waits.push(waitMs);
      time.now += waitMs;
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000]);
  });

  it('does not count attempts that arrive during a delay', () => {
    const { time, throttle } = backoff();
    for (let i = 0; i < 3; i += 1) throttle.take('k');
    for (let i = 0; i < 1000; i += 1) expect(throttle.take('k')).toBe(1000);
    time.now += 1000;
    expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBe(2000);
  });

  it('counts each key separately, resets a key on success, and forgets a key that is unused for a while', () => {
    const { time, throttle } = backoff();
    for (let i = 0; i < 3; i += 1) throttle.take('k');
    expect(throttle.take('other')).toBe(0);
    throttle.clear('k');
    for (let i = 0; i < 3; i += 1) expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBe(1000);
    time.now += POLICY.forgetMs + 1;
    for (let i = 0; i < 3; i += 1) expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBe(1000);
  });

  it('does not count an attempt that the caller releases', () => {
    const { throttle } = backoff();
    for (let i = 0; i < 50; i += 1) {
      expect(throttle.take('k')).toBe(0);
      throttle.release('k');
    }
    throttle.release('never seen');
  });

  it('never delays longer than its maximum, even when the clock jumps', () => {
    const jumps = fc.array(fc.integer({ min: -1e12, max: 1e12 }), { maxLength: 60 });
    fc.assert(
      fc.property(jumps, (steps) => {
        const { time, throttle } = backoff();
        for (const step of steps) {
          const waitMs = throttle.take('k');
          expect(waitMs).toBeGreaterThanOrEqual(0);
          expect(waitMs).toBeLessThanOrEqual(POLICY.longestWaitMs);
          time.now += step;
        }
      }),
    );
  });

  it('ends a delay on time even when the clock was set back', () => {
    const { time, throttle } = backoff();
    for (let i = 0; i < 3; i += 1) throttle.take('k');
    time.now -= POLICY.forgetMs - 1;
    expect(throttle.take('k')).toBe(POLICY.longestWaitMs);
    time.now += POLICY.longestWaitMs;
    expect(throttle.take('k')).toBe(0);
  });

  it('bounds the number of keys and evicts the least recently used ones', () => {
    const { throttle } = backoff();
    for (let i = 0; i < 3; i += 1) throttle.take('victim');
    for (let i = 0; i < 19_000; i += 1) throttle.take(`flood ${i}`);
    expect(throttle.take('victim')).toBe(1000);
    for (let i = 0; i < 20_001; i += 1) throttle.take(`other flood ${i}`);
    expect(throttle.take('victim')).toBe(0);
  });
});

describe('Allowance (token bucket)', () => {
  it('allows a burst of attempts, then one attempt per interval', () => {
    const { time, throttle } = allowance();
    for (let i = 0; i < 4; i += 1) expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBe(1000);
    time.now += 999;
    expect(throttle.take('k')).toBe(1);
    time.now += 1;
    expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBe(1000);
    expect(throttle.take('other')).toBe(0);
  });

  it('refills completely after a pause, and never above its burst', () => {
    const { time, throttle } = allowance();
    for (let i = 0; i < 4; i += 1) throttle.take('k');
    time.now += 3_600_000;
    for (let i = 0; i < 4; i += 1) expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBe(1000);
  });

  it('does not count attempts that the caller releases', () => {
    const { throttle } = allowance();
    for (let i = 0; i < 4; i += 1) throttle.take('k');
    throttle.release('k');
    expect(throttle.take('k')).toBe(0);
    expect(throttle.take('k')).toBeGreaterThan(0);
    throttle.clear('k');
    expect(throttle.take('k')).toBe(0);
  });

  it('never allows more attempts in a period than its burst plus the refill of that period', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 80 });
    fc.assert(
      fc.property(gaps, (steps) => {
        const { time, throttle } = allowance();
        const start = time.now;
        let passed = 0;
        for (const step of steps) {
          if (throttle.take('k') === 0) passed += 1;
          expect(passed).toBeLessThanOrEqual(4 + (time.now - start) / 1000);
          time.now += step;
        }
      }),
    );
  });

  it('delays an attempt by at most one interval, even when the clock was set back by years', () => {
    const { time, throttle } = allowance();
    for (let i = 0; i < 4; i += 1) throttle.take('k');
    time.now -= 1e11;
    expect(throttle.take('k')).toBe(1000);
    time.now += 1000;
    expect(throttle.take('k')).toBe(0);
  });
});
