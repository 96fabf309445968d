import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOfBytes } from '../../src/domain/key-of-bytes.ts';
import { KeySet } from '../../src/store/key-set.ts';

const keys = fc.array(fc.integer({ min: 1, max: 0xffffffff }), { maxLength: 5_000 });

describe('a set of 32-bit keys', () => {
  it('holds exactly what was put in, however often it grew', () => {
    fc.assert(
      fc.property(keys, keys, (inside, others) => {
        const set = new KeySet();
        const known = new Set(inside);
        for (const key of inside) set.add(key);
        expect(set.size).toBe(known.size);
        expect(inside.every((key) => set.has(key))).toBe(true);
        for (const key of others) expect(set.has(key)).toBe(known.has(key));
        const mixed = [...others, ...inside, ...others];
        const positions = mixed.flatMap((key, at) => (known.has(key) ? [at] : []));
        expect(set.positionsIn(Uint32Array.from(mixed))).toEqual(positions);
      }),
      { numRuns: 50 },
    );
  });

  it('finds all of a large set in one row, and nobody else', () => {
    const set = new KeySet();
    const inside = Uint32Array.from({ length: 70_000 }, (_, at) => Math.imul(at + 1, 0x6b43a9b5));
    for (const key of inside) set.add(key);
    const row = new Uint32Array(2 * inside.length);
    for (const [at, key] of inside.entries()) {
      row[2 * at] = key;
      // A bijection: none of these is the product of a number up to 70,000.
      row[2 * at + 1] = Math.imul(at + 1_000_000, 0x6b43a9b5);
    }
    expect(set.positionsIn(row)).toEqual(Array.from(inside, (_, at) => 2 * at));
    expect(set.positionsIn(new Uint32Array())).toEqual([]);
  });

  it('keeps neighbours apart and never says no to zero once it was added', () => {
    const set = new KeySet();
    set.add(0);
    expect(set.has(0)).toBe(true);
    for (let key = 100_000; key < 200_000; key += 1) set.add(key);
    expect(set.has(99_999)).toBe(false);
    expect(set.has(200_000)).toBe(false);
    expect(set.has(150_000)).toBe(true);
  });
});

describe('the key of some bytes', () => {
  it('depends on these bytes only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 42 }), fc.uint8Array({ maxLength: 9 }), (bytes, around) => {
        const inside = Buffer.concat([around, bytes, around]);
        const key = keyOfBytes(bytes, 0, bytes.length);
        expect(keyOfBytes(inside, around.length, around.length + bytes.length)).toBe(key);
      }),
    );
  });
});
