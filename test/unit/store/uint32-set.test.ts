import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Uint32Set } from '../../../src/store/watch/uint32-set.ts';

const keys = fc.array(fc.integer({ min: 1, max: 0xffffffff }), { maxLength: 5_000 });

describe('Uint32Set', () => {
  it('contains exactly the added numbers, however often it grew', () => {
    fc.assert(
      fc.property(keys, keys, (inside, others) => {
        const set = new Uint32Set();
        const known = new Set(inside);
        for (const key of inside) set.add(key);
        expect(inside.every((key) => set.has(key))).toBe(true);
        for (const key of others) expect(set.has(key)).toBe(known.has(key));
      }),
      { numRuns: 50 },
    );
  });

  it('does not contain the numbers next to an added range, and contains 0 once added', () => {
    const set = new Uint32Set();
    set.add(0);
    expect(set.has(0)).toBe(true);
    for (let key = 100_000; key < 200_000; key += 1) set.add(key);
    expect(set.has(99_999)).toBe(false);
    expect(set.has(200_000)).toBe(false);
    expect(set.has(150_000)).toBe(true);
  });
});
