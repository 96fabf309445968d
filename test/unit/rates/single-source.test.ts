import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRate, NO_HISTORY, type RateHistory } from '../../../src/rates/single-source.ts';

const LIMITS = { perMinutePercent: 5, maxPercent: 20 };
const MINUTE = 60_000;
const T0 = 1_800_000_000_000;

const judge = (rate: string, sources: string[], history: RateHistory, now: number) =>
  judgeRate({ rate, sources }, history, { limits: LIMITS, now });
const agreed = (rate: string, at = T0): RateHistory => judge(rate, ['a', 'b'], NO_HISTORY, at).history;

describe('judgeRate for a new exchange rate', () => {
  it('accepts a price on which two sources agree, however far it is from the previous one', () => {
    expect(judge('1', ['a', 'b'], agreed('100000'), T0).state).toBe('agreed');
  });

  it('accepts a first price of a single source, and marks it as single if several sources agreed before', () => {
    expect(judge('100', ['a'], NO_HISTORY, T0).state).toBe('single');
    expect(judge('100', ['a'], agreed('100'), T0).state).toBe('alone');
  });

  it.each([
    ['105', T0 + MINUTE, 'alone'],
    ['105.0001', T0 + MINUTE, 'refused'],
    ['95.3', T0 + MINUTE, 'alone'],
    ['95', T0 + MINUTE, 'refused'],
    ['110', T0 + 2 * MINUTE, 'alone'],
    ['110.1', T0 + 2 * MINUTE, 'refused'],
    ['120', T0 + 600 * MINUTE, 'alone'],
    ['120.1', T0 + 600 * MINUTE, 'refused'],
    ['83.3', T0 + 600 * MINUTE, 'refused'],
    ['1000', T0 + 600 * MINUTE, 'refused'],
  ] as const)(
    'judges a single source whose price moves from 100 to %s at %i ms as %s',
    (rate, now, state) => {
      expect(judge(rate, ['a'], agreed('100'), now).state).toBe(state);
    },
  );

  it('keeps the previous prices when it rejects a price, and names source and prices in the error', () => {
    const history = agreed('100');
    const verdict = judge('1000', ['kraken'], history, T0 + MINUTE);
    expect(verdict.history).toEqual(history);
    expect(verdict.reason).toMatch(/kraken alone .*1000.*100/);
  });

  it('limits the total change by one source, for any number of steps of any size', () => {
    const step = fc.record({
      ms: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 10 * MINUTE })),
      percent: fc.integer({ min: -90, max: 900 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let history = agreed('1000');
        let now = T0;
        let [base, baseAt] = [new Big(1000), T0];
        for (const { ms, percent } of steps) {
          now += ms;
          const rate = new Big(1000).times(100 + percent).div(100);
          if (rate.lte(0)) continue;
          const verdict = judge(rate.toFixed(), ['a'], history, now);
          history = verdict.history;
          if (verdict.state === 'refused') continue;
          const ratio = rate.gt(1000) ? rate.div(1000) : new Big(1000).div(rate);
          expect(ratio.lte('1.2000000001')).toBe(true);
          // The base is the last rate that counted a minute or more after the base before it.
          const minutes = Math.max(1, (now - baseAt) / MINUTE);
          const moved = rate.gt(base) ? rate.div(base) : base.div(rate);
          expect(moved.minus(1).lte(new Big('0.0500000001').times(String(minutes)))).toBe(true);
          if (now - baseAt >= MINUTE) [base, baseAt] = [rate, now];
        }
      }),
    );
  });

  it('limits the total of all changes within a minute to the limit of one change', () => {
    let history = agreed('100');
    let highest = new Big(100);
    for (let second = 1; second < 60; second += 1) {
      const rate = highest.times('1.01');
      const verdict = judge(rate.toFixed(), ['a'], history, T0 + second * 1_000);
      history = verdict.history;
      if (verdict.state !== 'refused') highest = rate;
    }
    expect(highest.lte(105)).toBe(true);
  });

  it('compares a single source with the last price of several sources for a week, and then accepts it, marked as single', () => {
    const WEEK = 7 * 24 * 60 * MINUTE;
    expect(judge('121', ['a'], agreed('100'), T0 + WEEK).state).toBe('refused');
    expect(judge('121', ['a'], agreed('100'), T0 + WEEK + 1).state).toBe('alone');
    expect(judge('104', ['a'], agreed('100'), T0 - WEEK - 1).state).toBe('alone');
  });

  it('works after the clock was set back', () => {
    expect(judge('105', ['a'], agreed('100'), T0 - 600 * MINUTE).state).toBe('alone');
    expect(judge('106', ['a'], agreed('100'), T0 - 600 * MINUTE).state).toBe('refused');
  });
});
