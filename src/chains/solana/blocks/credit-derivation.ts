import type { Credit, Debit, Holding, Spender } from '../../../domain/chain.ts';
import type { LandedTransaction } from './own-transactions.ts';

/** Confirmed money can be spent at once: a fork that removes it removes its spending, too. */
const MATURITY = 1;

export interface Entries {
  readonly credits: readonly Credit[];
  readonly debits: readonly Debit[];
}

/**
 * Derives the credits and debits of watched accounts from transactions in order of execution: incoming money is a
 * credit; outgoing money spends all that the account held and returns the rest as a remainder. Only balances count,
 * so it does not matter which program moved the money.
 * @param heldBy the slots of those that another slot's block shows
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
      const ended = { outcome: { fee, succeeded: !failed }, ...spenderOf(transaction) };
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

/** Whom a transaction paid, by the balances; nothing where its bytes have a version that this program does not know. */
function spenderOf({ raw, keys, before, after }: LandedTransaction): { readonly spender?: Spender } {
  if (raw === null) return {};
  const pays = keys.flatMap((watchKey, index) => {
    const amount = (after[index] ?? 0n) - (before[index] ?? 0n);
    return amount > 0n ? [{ watchKey, amount }] : [];
  });
  return { spender: { raw, inputs: 0, pays } };
}
