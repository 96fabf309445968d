import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWindow } from '../../../../src/chains/solana/sends/blockhash-expiry.ts';

const LIFETIME = 150;

/** A chain with skipped slots: slot of each block, the place in the list being its height above a first one. */
const chains = fc
  .record({
    firstSlot: fc.nat(1_000),
    firstHeight: fc.nat(1_000),
    gaps: fc.array(fc.constantFrom(1, 1, 1, 1, 2, 5, 40), { minLength: 200, maxLength: 260 }),
  })
  .map(({ firstSlot, firstHeight, gaps }) => {
    let slot = firstSlot;
    const blocks = gaps.map((gap, at) => {
      slot += gap;
      return { slot, height: firstHeight + at };
    });
    return blocks;
  });
/** The block that dates the transaction, by its place in the chain. */
const datings = fc.nat(199 - LIFETIME - 1);

interface Block {
  readonly slot: number;
  readonly height: number;
}

async function proves(shown: readonly Block[], dating: Block): Promise<boolean> {
  const slots = shown.map(({ slot }) => slot).filter((slot) => slot >= dating.slot);
  const blockAt = async (slot: number) => shown.find((block) => block.slot === slot) ?? null;
  return hasWindow(slots, dating.height + LIFETIME, blockAt);
}

describe('hasWindow (all blocks in which a Solana transaction could have been included were read)', () => {
  it('is true for any number of skipped slots as long as no block is missing', async () => {
    await fc.assert(
      fc.asyncProperty(chains, datings, async (chain, at) => {
        expect(await proves(chain, chain[at]!)).toBe(true);
      }),
    );
  });

  it('is false when any number of blocks from the window is missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        chains,
        datings,
        fc.integer({ min: 1, max: LIFETIME }),
        fc.integer({ min: 1, max: 300 }),
        async (chain, at, missing, length) => {
          const shown = chain.filter(
            (_block, place) => place < at + missing || place >= at + missing + length,
          );
          expect(await proves(shown, chain[at]!)).toBe(false);
        },
      ),
    );
  });

  it('is false when a single block is missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        chains,
        datings,
        fc.uniqueArray(fc.integer({ min: 1, max: LIFETIME }), { minLength: 1, maxLength: 20 }),
        async (chain, at, missing) => {
          const shown = chain.filter((_block, place) => !missing.includes(place - at));
          expect(await proves(shown, chain[at]!)).toBe(false);
        },
      ),
    );
  });

  it('is true without the block of the recent blockhash and without blocks after the window', async () => {
    await fc.assert(
      fc.asyncProperty(chains, datings, async (chain, at) => {
        const shown = chain.filter((_block, place) => place > at && place <= at + LIFETIME);
        expect(await proves(shown, chain[at]!)).toBe(true);
      }),
    );
  });

  it('is false when slots are listed twice in place of missing ones', async () => {
    await fc.assert(
      fc.asyncProperty(chains, datings, fc.integer({ min: 2, max: LIFETIME }), async (chain, at, missing) => {
        const dating = chain[at]!;
        const shown = chain.slice(at).filter((_block, place) => place !== missing);
        const slots = shown.map(({ slot }) => slot).toSpliced(1, 0, shown[1]!.slot);
        const blockAt = async (slot: number) => shown.find((block) => block.slot === slot) ?? null;
        expect(await hasWindow(slots, dating.height + LIFETIME, blockAt)).toBe(false);
      }),
    );
  });

  it('is false when the node returns no heights or no blocks', async () => {
    expect(await hasWindow([], 200, async () => null)).toBe(false);
    const slots = Array.from({ length: 300 }, (_, at) => at);
    expect(await hasWindow(slots, 200, async () => ({ height: null }))).toBe(false);
    expect(await hasWindow(slots, 200, async () => null)).toBe(false);
  });
});
