import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addDays, Calendar, daysFrom, isDay } from '../../../src/domain/calendar.ts';

const HOUR = 3_600_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Atlantic/Azores',
  'America/Havana',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
];

test('Calendar starts a day at the first moment with that date, in every zone and at every clock change', () => {
  const day = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2035-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), day, (zone, date) => {
      const calendar = new Calendar(zone);
      const start = calendar.startOf(date);
      expect(calendar.dayAt(start)).toBe(date);
      expect(calendar.dayAt(start - 1)).toBe(addDays(date, -1));
      const next = calendar.startOf(addDays(date, 1));
      expect(next - start).toBeGreaterThanOrEqual(22 * HOUR);
      expect(next - start).toBeLessThanOrEqual(26 * HOUR);
    }),
    { numRuns: 400 },
  );
});

describe('Calendar on days with a clock change', () => {
  it.each([
    ['one hour shorter in spring', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23],
    ['one hour longer in autumn', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['without a midnight', 'America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', 23],
    ['with two midnights', 'America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', 25],
    ['skipped by its country', 'Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', 0],
  ])('computes start and length of a day that is %s', (_what, zone, day, start, hours) => {
    const calendar = new Calendar(zone);
    expect(new Date(calendar.startOf(day)).toISOString()).toBe(start.replace('Z', '.000Z'));
    expect((calendar.startOf(addDays(day, 1)) - calendar.startOf(day)) / HOUR).toBe(hours);
  });
});

test.each(['UTC', 'Europe/Berlin', 'Pacific/Kiritimati'])(
  'Calendar handles the first and last years of the supported range in %s',
  (zone) => {
    const calendar = new Calendar(zone);
    for (const day of ['1969-12-03', '1970-01-01', '9999-12-31', addDays('9999-12-31', 1)])
      expect(calendar.dayAt(calendar.startOf(day))).toBe(day);
    expect(addDays(addDays('9999-12-31', 1), -1)).toBe('9999-12-31');
  },
);

test('daysFrom counts days with both ends included, over months and leap years', () => {
  expect(daysFrom('2026-01-31', '2026-01-31')).toBe(1);
  expect(daysFrom('2028-01-01', '2028-12-31')).toBe(366);
  expect(daysFrom('2026-02-01', '2026-01-31')).toBe(0);
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
  expect(['2026-02-29', '2026-2-1', '2026-13-01', '', '2026-01-01T00:00:00Z'].filter(isDay)).toEqual([]);
});

test('Calendar writes a time with the offset of its zone, which parses to the same moment', () => {
  const calendar = new Calendar('Europe/Berlin');
  expect(
    ['2026-03-29T00:59:59.999Z', '2026-03-29T01:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(
      (at) => calendar.timeAt(Date.parse(at)),
    ),
  ).toEqual([
    '2026-03-29T01:59:59.999+01:00',
    '2026-03-29T03:00:00.000+02:00',
    '2026-10-25T02:30:00.000+02:00',
    '2026-10-25T02:30:00.000+01:00',
  ]);
  expect(new Calendar('UTC').timeAt(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(new Calendar('America/St_Johns').timeAt(0)).toBe('1969-12-31T20:30:00.000-03:30');
  const moment = fc.date({ min: new Date('1990-01-01'), max: new Date('2035-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.array(moment, { minLength: 1, maxLength: 5 }),
      (zone, moments) => {
        const its = new Calendar(zone);
        for (const at of moments) {
          const shown = its.timeAt(at.getTime());
          expect(Date.parse(shown)).toBe(at.getTime());
          expect(shown.slice(0, 10)).toBe(its.dayAt(at.getTime()));
        }
      },
    ),
  );
});
