import { expect, it } from 'vitest';
import { newTimedId, randomBase62 } from '../../../src/usecases/events/new-id.ts';

it('newTimedId creates ids that sort by time and have a prefix and 24 base62 characters', () => {
  const times = [0, 1, 61, 62, Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 21) + 1, Date.UTC(2200, 0, 1)];
  const ids = times.map((time) => newTimedId('evt_', time));
  expect(ids.toSorted()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^evt_[0-9A-Za-z]{24}$/);
});

it('newTimedId creates unpredictable ids within the same millisecond', () => {
  const ids = Array.from({ length: 2_000 }, () => newTimedId('evt_', 1_800_000_000_000));
  expect(new Set(ids).size).toBe(2_000);
  const random = ids.map((id) => id.slice('evt_'.length + 8)).join('');
  expect(new Set(random).size).toBe(62);
});

it('randomBase62 creates texts of any length with a uniform distribution of characters', () => {
  for (const length of [0, 1, 24, 63, 64, 65, 200]) {
    expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
  }
  const counts = new Map<string, number>();
  for (const letter of randomBase62(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // A thousand of each, give or take seven standard deviations.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(225);
});
