import type { Credit, Debit, Holding, OutputRef, Spender } from '../../../domain/chain.ts';

/** Names what an account keeps after one of its own transactions: no transfer of it can have this index. */
const REMAINDER_INDEX = 1_000_000;

/**
 * Keeps the accounts of one block as outputs: what comes in is a credit, and whatever goes out
 * spends all that the account holds and leaves the rest as one new output.
 */
export class AccountBook {
  readonly credits: Credit[] = [];
  readonly debits: Debit[] = [];
  readonly #held: Map<string, readonly Holding[]>;

  /** @param holdings what the accounts hold before the block */
  constructor(holdings: ReadonlyMap<string, readonly Holding[]>) {
    this.#held = new Map(holdings);
  }

  balance(watchKey: string): bigint {
    return sumOf(this.#parts(watchKey));
  }

  receive(credit: Omit<Credit, 'maturity'>): void {
    const { ref, watchKey, amount } = credit;
    this.credits.push({ ...credit, maturity: 1 });
    this.#held.set(watchKey, [...this.#parts(watchKey), { ref, amount }]);
  }

  /**
   * Answers what the account lacked, 0 normally: more left it than it was known to hold.
   */
  spend(spending: {
    readonly watchKey: string;
    readonly txid: string;
    /** What left the account besides what the transaction gave to it: value and fee. */
    readonly cost: bigint;
    readonly outcome?: { readonly fee: bigint; readonly succeeded: boolean };
    readonly spender?: Spender;
  }): bigint {
    const { watchKey, txid, cost, outcome, spender } = spending;
    const rest = this.balance(watchKey) - cost;
    for (const { ref } of this.#parts(watchKey)) {
      this.debits.push({
        ref,
        byTxid: txid,
        ...(outcome === undefined ? {} : { outcome }),
        ...(spender === undefined ? {} : { spender }),
      });
    }
    this.#held.set(watchKey, []);
    if (rest > 0n) this.keep(watchKey, { txid, index: REMAINDER_INDEX }, rest);
    return rest < 0n ? -rest : 0n;
  }

  /** Money of the account's own, from nobody. */
  keep(watchKey: string, ref: OutputRef, amount: bigint): void {
    this.credits.push({ ref, watchKey, amount, maturity: 1, raw: null, remainder: true });
    this.#held.set(watchKey, [...this.#parts(watchKey), { ref, amount }]);
  }

  /**
   * Takes parts out of an account as if they had never come, newest first and each whole, up to an
   * amount; answers which, and what of the amount is left.
   */
  takeBack(
    watchKey: string,
    amount: bigint,
    isDoubtful: (ref: OutputRef) => boolean,
  ): { readonly taken: readonly OutputRef[]; readonly rest: bigint } {
    const kept: Holding[] = [];
    const taken: OutputRef[] = [];
    let rest = amount;
    for (const part of this.#parts(watchKey).toReversed()) {
      if (isDoubtful(part.ref) && part.amount <= rest) {
        taken.push(part.ref);
        rest -= part.amount;
      } else kept.unshift(part);
    }
    this.#held.set(watchKey, kept);
    return { taken, rest };
  }

  #parts(watchKey: string): readonly Holding[] {
    return this.#held.get(watchKey) ?? NOTHING;
  }
}

const NOTHING: readonly Holding[] = [];

/** What parts of an account come to. */
export function sumOf(parts: readonly Holding[]): bigint {
  let sum = 0n;
  for (const { amount } of parts) sum += amount;
  return sum;
}
