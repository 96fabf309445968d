import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderByHistory } from '../../src/usecases/watch/list-history.ts';

const listOf = (size: number) => Array.from({ length: size }, (_, index) => ({ watchKey: `key ${index}` }));
const keysAt = (...indexes: readonly number[]) => new Set(indexes.map((index) => `key ${index}`));

describe('orderByHistory', () => {
  it('skips the addresses up to the last used one and 20 more, where they were given out in order', () => {
    const listed = listOf(200);
    expect(orderByHistory(listed, keysAt(0, 3, 4, 22, 41))).toEqual({ order: listed, skip: 62 });
    expect(orderByHistory(listOf(30), keysAt(0, 19)).skip).toBe(30);
  });

  it('skips no address of a list that was never used', () => {
    expect(orderByHistory(listOf(5), new Set())).toEqual({ order: listOf(5), skip: 0 });
  });

  it('moves used addresses to the front, where the list was entered in another order', () => {
    const { order, skip } = orderByHistory(listOf(40), keysAt(25, 39));
    expect(order.slice(0, 4).map(({ watchKey }) => watchKey)).toEqual(['key 25', 'key 39', 'key 0', 'key 1']);
    expect(skip).toBe(2);
  });

  it('keeps every address once, gives out none that was used, and keeps the order of the others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.array(fc.nat(119), { maxLength: 30 }), (size, at) => {
        const listed = listOf(size);
        const used = keysAt(...at);
        const { order, skip } = orderByHistory(listed, used);
        expect(new Set(order)).toEqual(new Set(listed));
        const given = order.slice(skip);
        expect(given.filter(({ watchKey }) => used.has(watchKey))).toEqual([]);
        const positions = given.map((one) => listed.indexOf(one));
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        if (listed.every(({ watchKey }) => !used.has(watchKey))) expect(skip).toBe(0);
      }),
    );
  });
});
