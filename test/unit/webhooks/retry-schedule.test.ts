import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attemptOutcome,
  parseRetryAfter,
  RETRY_DELAYS_MS,
} from '../../../src/workers/webhook-delivery/retry-schedule.ts';

const DAY_MS = 86_400_000;
const random = (value: number) => ({ delaysMs: RETRY_DELAYS_MS, random: () => value });
const failure = (attempts: number, retryAfterMs: number | null = null) => ({
  attempts,
  endedAt: 1_000_000,
  status: 500,
  retryAfterMs,
});

describe('retry schedule of webhook deliveries', () => {
  it('plans ten attempts with the documented backoff, from the end of each attempt', () => {
    const gaps = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => {
      const outcome = attemptOutcome(failure(attempts), random(0.5));
      return outcome.kind === 'retry' ? (outcome.at - 1_000_000) / 1000 : outcome.kind;
    });
    expect(gaps).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(attemptOutcome(failure(10), random(0.5))).toEqual({ kind: 'failed' });
  });

  it('keeps the jitter within 10 % in both directions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, value) => {
          const outcome = attemptOutcome(failure(n), random(value));
          const gap = RETRY_DELAYS_MS[n - 1]!;
          if (outcome.kind !== 'retry') throw new Error('must retry');
          expect(outcome.at - 1_000_000).toBeGreaterThanOrEqual(Math.floor(gap * 0.9));
          expect(outcome.at - 1_000_000).toBeLessThanOrEqual(Math.ceil(gap * 1.1));
        },
      ),
    );
  });

  it('waits as long as Retry-After requests, never less than planned and never more than a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 10 * DAY_MS }), (n, asked) => {
        const outcome = attemptOutcome(failure(n, asked), random(0.5));
        if (outcome.kind !== 'retry') throw new Error('must retry');
        const pause = outcome.at - 1_000_000;
        expect(pause).toBe(Math.max(RETRY_DELAYS_MS[n - 1]!, Math.min(asked, DAY_MS)));
      }),
    );
  });

  it('treats every 2xx as success, 410 as permanent, and everything else as a failure', () => {
    for (let status = 200; status < 300; status += 1)
      expect(attemptOutcome({ ...failure(1), status }, random(0)).kind).toBe('delivered');
    expect(attemptOutcome({ ...failure(10), status: 204 }, random(0)).kind).toBe('delivered');
    expect(attemptOutcome({ ...failure(1), status: 410 }, random(0)).kind).toBe('gone');
    for (const status of [0, 199, 300, 301, 302, 307, 308, 400, 404, 429, 500, 503])
      expect(attemptOutcome({ ...failure(1), status }, random(0)).kind).toBe('retry');
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026', 2_026_000],
    ['', null],
    ['99999999999999', null],
  ])('parses %j as %j ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
  it('returns null for a missing header', () => expect(parseRetryAfter(undefined, now)).toBeNull());
});
