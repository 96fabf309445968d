import type { Credit, Debit, Holding, Spender } from '../../../domain/chain.ts';
import type { LandedTransaction } from './own-transactions.ts';

/** Confirmed money can be spent at once, because a fork that removes it also removes its spending. */
const MATURITY = 1;

export interface Entries {
  readonly credits: readonly Credit[];
  readonly debits: readonly Debit[];
}

/**
 * Derives the credits and debits of watched accounts from transactions in order of execution: incoming money
 * is a credit; outgoing money spends the account's whole balance and returns the rest as a remainder. Only
 * balances count, so the program that moved the money is irrelevant.
 * @param heldBy the slots of transactions that another slot's block represents
 */
export function deriveCredits(
  transactions: readonly LandedTransaction[],
  watched: ReadonlySet<string>,
  held: ReadonlyMap<string, readonly Holding[]>,
  heldBy?: ReadonlyMap<LandedTransaction, NonNullable<Credit['heldBy']>>,
): Entries {
  const holdings = new Map([...held].map(([watchKey, own]) => [watchKey, [...own]]));
  const credits: Credit[] = [];
  const debits: Debit[] = [];
  for (const transaction of transactions) {
    const { signature, fee, failed, raw } = transaction;
    const slot = heldBy?.get(transaction);
    const placed = slot === undefined ? {} : { heldBy: slot };
    transaction.keys.forEach((watchKey, index) => {
      const before = transaction.before[index] ?? 0n;
      const after = transaction.after[index] ?? 0n;
      if (before === after || !watched.has(watchKey)) return;
      const ref = { txid: signature, index };
      const own = holdings.get(watchKey) ?? [];
      if (after > before) {
        const amount = after - before;
        credits.push({ ref, watchKey, amount, maturity: MATURITY, raw, ...placed });
        own.push({ ref, amount });
        holdings.set(watchKey, own);
        return;
      }
      const ended = { outcome: { fee, succeeded: !failed }, ...deriveSpender(transaction) };
      for (const { ref: spent } of own) debits.push({ ref: spent, byTxid: signature, ...ended });
      holdings.set(watchKey, after === 0n ? [] : [{ ref, amount: after }]);
      if (after > 0n) {
        const rest = { ref, watchKey, amount: after, maturity: MATURITY, raw: null };
        credits.push({ ...rest, remainder: true, ...placed });
      }
    });
  }
  return { credits, debits };
}

/** The recipients of a transaction according to the balances; none if its bytes have an unknown version. */
function deriveSpender({ raw, keys, before, after }: LandedTransaction): { readonly spender?: Spender } {
  if (raw === null) return {};
  const pays = keys.flatMap((watchKey, index) => {
    const amount = (after[index] ?? 0n) - (before[index] ?? 0n);
    return amount > 0n ? [{ watchKey, amount }] : [];
  });
  return { spender: { raw, inputs: 0, pays } };
}
