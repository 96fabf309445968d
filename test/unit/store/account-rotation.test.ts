import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccountRotation } from '../../../src/store/ledger/account-rotation.ts';

const accounts = (from: number, count: number): { id: number }[] =>
  Array.from({ length: count }, (_, at) => ({ id: from + at }));
const sizes = fc.record({
  limit: fc.integer({ min: 4, max: 60 }),
  awaited: fc.nat({ max: 150 }),
  finished: fc.nat({ max: 150 }),
});

describe('AccountRotation of balance reads', () => {
  it('includes every account with an open payment up to the limit, however many closed accounts there are', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 5 }), ({ limit, awaited, finished }, looks) => {
        const turns = new AccountRotation<{ id: number }>(limit);
        const waiting = accounts(1_000, awaited);
        for (let look = 0; look < looks; look += 1) {
          const chosen = turns.choose(waiting, accounts(1, finished));
          expect(chosen.awaited).toHaveLength(Math.min(awaited, limit));
          const sure = awaited <= limit ? awaited : Math.floor((limit * 3) / 4);
          expect(chosen.awaited.slice(0, sure)).toEqual(waiting.slice(0, sure));
          expect(chosen.awaited.length + chosen.finished.length).toBeLessThanOrEqual(
            limit + Math.max(1, Math.floor(limit / 20)),
          );
        }
      }),
    );
  });

  it('includes each account, open or closed, within a bounded number of rounds', () => {
    fc.assert(
      fc.property(sizes, ({ limit, awaited, finished }) => {
        const turns = new AccountRotation<{ id: number }>(limit);
        const [waiting, over] = [accounts(1_000, awaited), accounts(1, finished)];
        const missing = new Set([...waiting, ...over]);
        const room = Math.max(limit - awaited, Math.floor(limit / 20), 1);
        const share = limit - Math.floor((limit * 3) / 4);
        const looks = Math.max(Math.ceil(finished / room), Math.ceil(awaited / share), 1);
        for (let look = 0; look < looks; look += 1) {
          const chosen = turns.choose(waiting, over);
          for (const each of [...chosen.awaited, ...chosen.finished]) missing.delete(each);
        }
        expect([...missing]).toEqual([]);
      }),
    );
  });

  it('continues after the last account when accounts are added and removed', () => {
    const turns = new AccountRotation<{ id: number }>(4);
    const over = accounts(1, 10);
    expect(turns.choose([], over).finished.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    const rest = over.filter(({ id }) => id !== 2 && id !== 5);
    expect(turns.choose([], [...rest, { id: 11 }]).finished.map(({ id }) => id)).toEqual([6, 7, 8, 9]);
  });
});
