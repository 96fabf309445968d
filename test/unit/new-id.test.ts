import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '../../src/usecases/new-id.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('ids sort as the moments they were made at, by the bytes as SQLite does', () => {
  vi.useFakeTimers();
  const moments = [
    1,
    61,
    62,
    3_843,
    3_844,
    Date.UTC(2026, 10, 21),
    Date.UTC(2026, 10, 21) + 1,
    Date.UTC(8000, 0, 1),
  ];
  const ids = moments.map((ms) => {
    vi.setSystemTime(ms);
    return newId('pay_');
  });
  expect(ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^pay_[0-9A-Za-z]{24}$/);
});

test('of one moment no two ids are the same, and every character of the random part turns up everywhere', () => {
  vi.useFakeTimers();
  const ids = Array.from({ length: 5_000 }, () => newId('evt_'));
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(1);
  for (let at = 12; at < 28; at += 1) expect(new Set(ids.map((id) => id.charAt(at))).size).toBe(62);
});
