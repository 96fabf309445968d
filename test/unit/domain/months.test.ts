import { describe, expect, it } from 'vitest';
import { addMonths, Calendar, isMonth } from '../../../src/domain/calendar.ts';
import { compareRates } from '../../../src/domain/price.ts';

describe('isMonth, addMonths and monthRange', () => {
  it.each(['2026-01', '1970-12', '2000-02'])('accept %s as a month', (text) => {
    expect(isMonth(text)).toBe(true);
  });

  it.each(['2026-13', '2026-00', '2026-1', '2026-01-01', '2026', '', '2026-01 '])(
    'reject %j as a month',
    (text) => {
      expect(isMonth(text)).toBe(false);
    },
  );

  it('add and subtract months across the turn of the year', () => {
    expect([addMonths('2026-12', 1), addMonths('2026-01', -1), addMonths('2024-02', 12)]).toEqual([
      '2027-01',
      '2025-12',
      '2025-02',
    ]);
  });

  it('return midnight in the time zone at the begin and end of a month, with daylight saving time applied', () => {
    const { fromMs, beforeMs } = new Calendar('Europe/Berlin').monthRange('2026-03');
    expect([fromMs, beforeMs].map((at) => new Date(at).toISOString())).toEqual([
      '2026-02-28T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ]);
  });
});

describe('compareRates', () => {
  it('compares rates by value, not as text', () => {
    expect(compareRates('9.5', '10')).toBe(-1);
    expect(compareRates('10.50', '10.5')).toBe(0);
    expect(compareRates('100', '99.999')).toBe(1);
  });
});
