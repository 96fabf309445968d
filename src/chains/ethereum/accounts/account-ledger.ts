import type { Credit, Debit, Holding, OutputRef, Spender } from '../../../domain/chain.ts';

/** Output index of an account's remainder after one of its own transactions: no transfer in it can have this index. */
export const REMAINDER_INDEX = 1_000_000;

/**
 * Models the accounts of one block as outputs: an incoming transfer is a credit; an outgoing one spends all that the
 * account holds and leaves the remainder as one new output.
 */
export class AccountLedger {
  readonly credits: Credit[] = [];
  readonly debits: Debit[] = [];
  readonly #held: Map<string, readonly Holding[]>;

  /** @param holdings of the accounts before the block */
  constructor(holdings: ReadonlyMap<string, readonly Holding[]>) {
    this.#held = new Map(holdings);
  }

  balance(watchKey: string): bigint {
    return sumOutputs(this.#parts(watchKey));
  }

  receive(credit: Omit<Credit, 'maturity'>): void {
    const { ref, watchKey, amount } = credit;
    this.credits.push({ ...credit, maturity: 1 });
    this.#held.set(watchKey, [...this.#parts(watchKey), { ref, amount }]);
  }

  /** Spends the account; returns the shortfall, normally 0: more was spent than the account was known to hold. */
  spend(spending: {
    readonly watchKey: string;
    readonly txid: string;
    /** Value plus fee. */
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

  /** Adds the account's own money, which is not a payment. */
  keep(watchKey: string, ref: OutputRef, amount: bigint): void {
    this.credits.push({ ref, watchKey, amount, maturity: 1, raw: null, remainder: true });
    this.#held.set(watchKey, [...this.#parts(watchKey), { ref, amount }]);
  }

  /**
   * Removes outputs from an account as if they had never arrived: newest first, each as a whole, up to an amount.
   * Returns them and the part of the amount that they do not cover.
   */
  takeBack(
    watchKey: string,
    amount: bigint,
    isDoubtful: (ref: OutputRef) => boolean,
  ): { readonly withdrawn: readonly OutputRef[]; readonly rest: bigint } {
    const kept: Holding[] = [];
    const withdrawn: OutputRef[] = [];
    let rest = amount;
    for (const part of this.#parts(watchKey).toReversed()) {
      if (isDoubtful(part.ref) && part.amount <= rest) {
        withdrawn.push(part.ref);
        rest -= part.amount;
      } else kept.unshift(part);
    }
    this.#held.set(watchKey, kept);
    return { withdrawn, rest };
  }

  #parts(watchKey: string): readonly Holding[] {
    return this.#held.get(watchKey) ?? NOTHING;
  }
}

const NOTHING: readonly Holding[] = [];

/** Total of an account's outputs. */
export function sumOutputs(parts: readonly Holding[]): bigint {
  let sum = 0n;
  for (const { amount } of parts) sum += amount;
  return sum;
}
