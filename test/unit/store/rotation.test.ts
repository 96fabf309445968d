import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rotationAt } from '../../../src/store/watch/chain-index.ts';

const MOST = 400;

it('rotationAt selects every address within at most twice the necessary number of blocks, from any height', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000 }),
      fc.integer({ min: 0, max: 50_000_000 }),
      (newestId, height) => {
        const blocks = 2 * Math.ceil((newestId + 1) / MOST);
        const turns = Array.from({ length: blocks }, (_, at) => rotationAt(height + at, newestId));
        for (const { from, below } of turns) expect(below - from).toBe(MOST);
        for (let id = 1; id <= newestId; id += 97) {
          expect(turns.some(({ from, below }) => from <= id && id < below)).toBe(true);
        }
      },
    ),
  );
});

it('rotationAt selects the same addresses when a block is read again, even if more addresses were issued meanwhile', () => {
  expect(rotationAt(1_000_003, 5_000)).toEqual(rotationAt(1_000_003, 6_000));
});
