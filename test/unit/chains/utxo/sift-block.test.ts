import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reduceBlock } from '../../../../src/chains/utxo/blocks/read-block.ts';
import type { ChainIndex, WatchFilter } from '../../../../src/domain/chain.ts';
import { NO_ACCOUNTS } from '../../../_helpers/no-accounts.ts';
import { blockOf, COINBASE, p2wpkh, opened, type TestTransaction, txidOf } from './raw-chain.ts';

const SCRIPTS = [0, 1, 2, 3].map((at) => p2wpkh(`${at}`.repeat(40)));
const OURS = SCRIPTS.slice(0, 2).map((script) => script.toString('hex'));
const PARENTS = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32));
const OWN_OUTPUTS = new Set([`${PARENTS[0]}:0`, `${PARENTS[1]}:2`]);

const index: ChainIndex = {
  ...NO_ACCOUNTS,
  watched: async (keys) => new Set(keys.filter((key) => OURS.includes(key))),
  ownOutputs: async (refs) => new Set(refs.filter((ref) => OWN_OUTPUTS.has(ref))),
};

const deps = { index, coin: { hasMweb: false } };

/** As exact as can be: it says no to all that is not ours. */
const sieve: WatchFilter = {
  mayWatch: (bytes, start, end) =>
    SCRIPTS.slice(0, 2).some((script) => script.equals(bytes.subarray(start, end))),
  mayOwn: (tail) => PARENTS.slice(0, 2).some((txid) => Number.parseInt(txid.slice(-8), 16) === tail),
};

/** Says maybe to all that it is not sure of: to strangers of whom some bits are alike, too. */
function doubtful(bits: number): WatchFilter {
  const alike = (key: number): boolean => (key & 31) < bits;
  return {
    mayWatch: (bytes, start, end) => alike(bytes[end - 1] ?? 0) || sieve.mayWatch(bytes, start, end),
    mayOwn: (tail) => alike(tail) || sieve.mayOwn(tail),
  };
}

const sieves = fc.nat({ max: 32 }).chain((bits) => fc.constantFrom(sieve, doubtful(bits)));

/** Transactions: some pay us, spend our outputs, or spend an output of an earlier one. */
const blocks = fc
  .array(
    fc.record({
      parent: fc.nat({ max: 5 }),
      index: fc.nat({ max: 2 }),
      scripts: fc.array(fc.constantFrom(...SCRIPTS), { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((recipes) => {
    const made: TestTransaction[] = [COINBASE];
    for (const [at, { parent, index: vout, scripts }] of recipes.entries()) {
      const earlier = made[parent % made.length] ?? COINBASE;
      made.push({
        inputs: [{ txid: PARENTS[parent] ?? txidOf(earlier), index: vout }],
        outputs: scripts.map((script) => ({ amount: BigInt(at + 1), script })),
      });
    }
    return made;
  });

describe('reduceBlock', () => {
  it('keeps exactly the transactions that pay or spend a watched script or outpoint', async () => {
    await fc.assert(
      fc.asyncProperty(blocks, sieves, async (transactions, given) => {
        const block = opened(blockOf(transactions));
        expect(await reduceBlock(deps, 7, block, given)).toEqual(await reduceBlock(deps, 7, block, null));
      }),
      { numRuns: 300 },
    );
  });
});
