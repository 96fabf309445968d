/** Periods of subscriptions, compared with a reckoning of its own by Intl. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECURRING_INTERVALS, type RecurringInterval } from '../../../src/domain/catalog.ts';
import {
  addCalendarDays,
  periodStart,
  ROUGH_MS,
  approximatePeriodStart,
  type Schedule,
} from '../../../src/domain/subscription/periods.ts';
import { clockIn, later, momentOf } from '../../_helpers/intl-calendar.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];

const schedule = (at: string, interval: RecurringInterval, timeZone = 'Europe/Berlin'): Schedule => ({
  anchorAt: Date.parse(at),
  anchorN: 0,
  interval,
  timeZone,
});

const starts = (of: Schedule, count: number): string[] =>
  Array.from({ length: count }, (_, n) => new Date(periodStart(of, n)).toISOString());

describe('periodStart', () => {
  it('clamps the 31st to the last day of shorter months and returns to the 31st afterwards', () => {
    expect(starts(schedule('2027-12-31T12:00:00Z', 'monthly'), 5)).toEqual([
      '2027-12-31T12:00:00.000Z',
      '2028-01-31T12:00:00.000Z',
      '2028-02-29T12:00:00.000Z',
      '2028-03-31T11:00:00.000Z',
      '2028-04-30T11:00:00.000Z',
    ]);
  });

  it('moves a leap day to the 28th in other years', () => {
    expect(starts(schedule('2028-02-29T23:30:00Z', 'yearly', 'UTC'), 5).map((at) => at.slice(0, 10))).toEqual(
      ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
    );
  });

  it('moves a time that a clock change skips forward, and uses the first of a repeated time', () => {
    // 02:30 in Berlin, which 28 March 2027 skips and 31 October 2027 has twice.
    const nightly = schedule('2027-03-27T01:30:00Z', 'daily');
    expect(starts(nightly, 3)).toEqual([
      '2027-03-27T01:30:00.000Z',
      '2027-03-28T01:30:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ]);
    expect(new Date(periodStart(nightly, 218)).toISOString()).toBe('2027-10-31T00:30:00.000Z');
  });

  it('equals a computation from the calendar date, in every zone and interval', () => {
    const anchor = fc.integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2032, 0, 1) / 1000 });
    fc.assert(
      fc.property(
        anchor,
        fc.constantFrom(...ZONES),
        fc.constantFrom(...RECURRING_INTERVALS),
        fc.integer({ min: 1, max: 40 }),
        (seconds, timeZone, interval, n) => {
          const of = { anchorAt: seconds * 1000, anchorN: 0, interval, timeZone };
          const shown = later(clockIn(timeZone, of.anchorAt), interval, n);
          expect(periodStart(of, n)).toBe(momentOf(timeZone, shown));
          expect(periodStart(of, n)).toBeGreaterThan(periodStart(of, n - 1));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('differs little from approximatePeriodStart, which ignores time zones, in every zone and interval', () => {
    const anchor = fc.integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2032, 0, 1) / 1000 });
    fc.assert(
      fc.property(
        anchor,
        fc.constantFrom(...ZONES, 'Pacific/Kiritimati', 'Pacific/Pago_Pago'),
        fc.constantFrom(...RECURRING_INTERVALS),
        fc.integer({ min: -3, max: 40 }),
        (seconds, timeZone, interval, n) => {
          const of = { anchorAt: seconds * 1000, anchorN: 0, interval, timeZone };
          // A lead in calendar days moves by a clock change at most.
          const margin = ROUGH_MS - 2 * 3_600_000;
          expect(Math.abs(approximatePeriodStart(of, n) - periodStart(of, n))).toBeLessThan(margin);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('returns the anchor time for the number of the anchor, and counts from there in both directions', () => {
    const moved = { ...schedule('2027-05-10T10:00:00Z', 'monthly'), anchorN: 7 };
    expect(periodStart(moved, 7)).toBe(moved.anchorAt);
    expect(new Date(periodStart(moved, 8)).toISOString()).toBe('2027-06-10T10:00:00.000Z');
    expect(new Date(periodStart(moved, 6)).toISOString()).toBe('2027-04-10T10:00:00.000Z');
  });
});

it('addCalendarDays keeps the wall time over a clock change', () => {
  const at = Date.parse('2027-03-27T12:00:00Z');
  expect(addCalendarDays('Europe/Berlin', at, 2) - at).toBe(47 * 3_600_000);
  expect(addCalendarDays('Europe/Berlin', at, 0)).toBe(at);
});
