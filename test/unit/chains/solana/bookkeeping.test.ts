import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveCredits } from '../../../../src/chains/solana/blocks/credit-derivation.ts';
import type { LandedTransaction } from '../../../../src/chains/solana/blocks/own-transactions.ts';
import { type Holding, outputKey } from '../../../../src/domain/chain.ts';

const ACCOUNTS = ['a', 'b', 'c'];

/** A chain of transactions, each changing the balance of every account by what is listed. */
function chain(changes: readonly (readonly bigint[])[], start: readonly bigint[]): LandedTransaction[] {
  let before = [...start];
  return changes.map((deltas, position) => {
    const after = before.map((amount, index) => {
      const next = amount + (deltas[index] ?? 0n);
      return next < 0n ? 0n : next;
    });
    const transaction = {
      signature: `s${position}`,
      slot: position,
      failed: false,
      fee: 5_000n,
      keys: ACCOUNTS,
      before,
      after,
      raw: null,
    };
    before = after;
    return transaction;
  });
}

describe('deriveCredits on Solana', () => {
  it('derives credits and debits that add up to the balances on the chain after any transactions', () => {
    const deltas = fc.array(fc.bigInt(-1_000n, 1_000n), { minLength: 3, maxLength: 3 });
    const starts = fc.array(fc.bigInt(0n, 1_000n), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(deltas, { maxLength: 8 }), starts, (changes, start) => {
        const held = new Map<string, Holding[]>(
          ACCOUNTS.map((address, index) => [
            address,
            start[index] === 0n ? [] : [{ ref: { txid: 'start', index }, amount: start[index]! }],
          ]),
        );
        const transactions = chain(changes, start);
        const { credits, debits } = deriveCredits(transactions, new Set(ACCOUNTS), held);
        const spent = new Set(debits.map(({ ref }) => outputKey(ref)));
        expect(spent.size).toBe(debits.length);
        const end = transactions.at(-1)?.after ?? start;
        ACCOUNTS.forEach((address, index) => {
          const all = [...(held.get(address) ?? []), ...credits.filter((each) => each.watchKey === address)];
          const left = all.filter(({ ref }) => !spent.has(outputKey(ref)));
          expect(left.reduce((sum, { amount }) => sum + amount, 0n)).toBe(end[index]);
        });
      }),
    );
  });

  it('distinguishes incoming payments from change', () => {
    const transactions = chain(
      [
        [700n, 0n, 0n],
        [-200n, 200n, 0n],
      ],
      [0n, 0n, 0n],
    );
    const { credits, debits } = deriveCredits(transactions, new Set(['a', 'b']), new Map());
    expect(credits.map(({ watchKey, amount, remainder }) => [watchKey, amount, remainder])).toEqual([
      ['a', 700n, undefined],
      ['a', 500n, true],
      ['b', 200n, undefined],
    ]);
    const outcome = { fee: 5_000n, succeeded: true };
    expect(debits).toEqual([{ ref: { txid: 's0', index: 0 }, byTxid: 's1', outcome }]);
  });

  it('lists the accounts whose balance a transaction increased', () => {
    const [landed] = chain([[-200n, 150n, 45n]], [1_000n, 0n, 0n]);
    const held = new Map([['a', [{ ref: { txid: 'start', index: 0 }, amount: 1_000n }]]]);
    const { debits } = deriveCredits([{ ...landed!, raw: 'AQ==' }], new Set(['a']), held);
    const pays = [
      { watchKey: 'b', amount: 150n },
      { watchKey: 'c', amount: 45n },
    ];
    expect(debits).toMatchObject([{ spender: { raw: 'AQ==', inputs: 0, pays } }]);
    expect(deriveCredits([landed!], new Set(['a']), held).debits).not.toHaveProperty('0.spender');
  });

  it('records only the fee as spent for a failed transaction', () => {
    const [landed] = chain([[-5_000n, 0n, 0n]], [10_000n, 0n, 0n]);
    const held = new Map([['a', [{ ref: { txid: 'start', index: 0 }, amount: 10_000n }]]]);
    const { credits, debits } = deriveCredits([{ ...landed!, failed: true }], new Set(['a']), held);
    expect(debits).toMatchObject([{ outcome: { fee: 5_000n, succeeded: false } }]);
    expect(credits).toMatchObject([{ amount: 5_000n, remainder: true }]);
  });

  it('ignores accounts that are not watched', () => {
    const transactions = chain([[1n, 2n, 3n]], [0n, 0n, 0n]);
    expect(deriveCredits(transactions, new Set(), new Map())).toEqual({ credits: [], debits: [] });
  });
});
