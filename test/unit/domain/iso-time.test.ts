import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../../src/domain/iso-time.ts';

test('isoTime formats every time like Date.toISOString, whatever was formatted before', () => {
  const moment = fc.oneof(
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.integer({ min: 0, max: 4_102_444_800_000 }),
    fc.integer({ min: -100_000, max: 100_000 }),
    fc.integer({ min: -3, max: 40_000 }).map((days) => days * 86_400_000 - 1),
    // Days that take each other's place among those kept.
    fc.integer({ min: -3, max: 3 }).map((times) => times * 64 * 86_400_000),
  );
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 20 }), (moments) => {
      expect(moments.map(isoTime)).toEqual(moments.map((ms) => new Date(ms).toISOString()));
    }),
    { numRuns: 500 },
  );
});

test('isoTime rejects an invalid time', () => {
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY, 9e15])
    expect(() => isoTime(none)).toThrow(RangeError);
});
