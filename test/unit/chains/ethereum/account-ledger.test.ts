import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AccountLedger } from '../../../../src/chains/ethereum/accounts/account-ledger.ts';
import { outputKey, type Holding } from '../../../../src/domain/chain.ts';

const KEY = '0xabc';

/** What the ledger holds once credits and debits of a block were recorded. */
function ledgerAfter(before: readonly Holding[], book: AccountLedger): bigint {
  const held = new Map(before.map(({ ref, amount }) => [outputKey(ref), amount]));
  for (const { ref, amount } of book.credits) held.set(outputKey(ref), amount);
  for (const { ref } of book.debits) held.delete(outputKey(ref));
  return [...held.values()].reduce((sum, amount) => sum + amount, 0n);
}

it('AccountLedger keeps the sum of unspent outputs equal to the balance after any credits and spends', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 20n });
  const step = fc.record({ isSpend: fc.boolean(), amount });
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 4 }), fc.array(step, { maxLength: 12 }), (parts, steps) => {
      const before = parts.map((part, index) => ({ ref: { txid: 'before', index }, amount: part }));
      const book = new AccountLedger(new Map([[KEY, before]]));
      let balance = parts.reduce((sum, part) => sum + part, 0n);
      for (const [at, { isSpend, amount }] of steps.entries()) {
        if (isSpend) {
          const cost = amount > balance ? balance : amount;
          expect(book.spend({ watchKey: KEY, txid: `out${at}`, cost })).toBe(0n);
          balance -= cost;
        } else {
          book.receive({ ref: { txid: `in${at}`, index: 0 }, watchKey: KEY, amount, raw: null });
          balance += amount;
        }
        expect(book.balance(KEY)).toBe(balance);
      }
      expect(ledgerAfter(before, book)).toBe(balance);
    }),
  );
});

it('AccountLedger records at least one spent output for every spending transaction, so that the send is found by that output', () => {
  const book = new AccountLedger(new Map([[KEY, [{ ref: { txid: 'a', index: 0 }, amount: 10n }]]]));
  book.spend({ watchKey: KEY, txid: 'one', cost: 3n });
  book.spend({ watchKey: KEY, txid: 'two', cost: 3n });
  expect(new Set(book.debits.map(({ byTxid }) => byTxid))).toEqual(new Set(['one', 'two']));
  expect(book.credits.every(({ remainder }) => remainder === true)).toBe(true);
});

it('AccountLedger returns the missing amount when a transaction spends more than is recorded', () => {
  const book = new AccountLedger(new Map());
  expect(book.spend({ watchKey: KEY, txid: 'one', cost: 3n })).toBe(3n);
  expect(book.credits).toEqual([]);
});
