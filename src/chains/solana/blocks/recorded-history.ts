import { type ChainIndex, type Holding, outputKey } from '../../../domain/chain.ts';
import { balanceChange, type LandedTransaction } from './own-transactions.ts';

/** The ledger's part of one account's history, which is read from newest to oldest. */
export class RecordedHistory {
  readonly #index: Pick<ChainIndex, 'ownOutputs' | 'unsettled'>;
  readonly #address: string;
  /** Transactions whose outputs the account still holds according to the ledger. */
  readonly #holding: ReadonlySet<string>;
  /** Those of them that have not been encountered yet. */
  readonly #unmet: Set<string>;
  #unsettled: ReadonlySet<string> | null = null;

  constructor(
    index: Pick<ChainIndex, 'ownOutputs' | 'unsettled'>,
    address: string,
    held: readonly Holding[],
  ) {
    this.#index = index;
    this.#address = address;
    this.#holding = new Set(held.map(({ ref }) => ref.txid));
    this.#unmet = new Set(this.#holding);
  }

  /**
   * Whether the account still holds money of this transaction according to the ledger, so that it need not be
   * read.
   */
  holds(signature: string): boolean {
    return this.#holding.has(signature);
  }

  /**
   * Compares the next older transaction with the ledger. `covered`: it spent money, and everything that the
   * account holds according to the ledger arrived later, so it and everything older is recorded.
   * @param transaction undefined when the node does not have it, or it need not be read
   * @param isBelow whether it is at or below the slot up to which the ledger has read
   */
  async classify(
    signature: string,
    transaction: LandedTransaction | undefined,
    isBelow: boolean,
  ): Promise<'recorded' | 'covered' | 'news'> {
    this.#unmet.delete(signature);
    if (this.holds(signature)) return 'recorded';
    if (transaction === undefined || !isBelow) return 'news';
    const change = balanceChange(transaction, this.#address);
    if (change < 0n) return this.#unmet.size === 0 ? 'covered' : 'news';
    if (change === 0n) return 'recorded';
    const key = outputKey({ txid: signature, index: transaction.keys.indexOf(this.#address) });
    const isKnown = (await this.#index.ownOutputs([key])).has(key);
    return isKnown && !(await this.#inNoBlock()).has(key) ? 'recorded' : 'news';
  }

  /** Outputs of the ledger that are in no block: they are still unconfirmed. */
  async #inNoBlock(): Promise<ReadonlySet<string>> {
    this.#unsettled ??= new Set((await this.#index.unsettled()).map(({ ref }) => outputKey(ref)));
    return this.#unsettled;
  }
}
