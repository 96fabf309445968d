import type { Block, Commitment, Ledger } from '../../../../test/_helpers/svm/ledger.ts';

/** The ledger of a backend that has processed slots only up to a limit. */
export class LedgerView {
  readonly #ledger: Ledger;
  readonly #blocks: readonly Block[];

  constructor(ledger: Ledger, lastSlot: number) {
    this.#ledger = ledger;
    this.#blocks = ledger.blocksBetween(0, lastSlot);
  }

  tip(commitment: Commitment): Block {
    const { confirmedLag, finalizedLag } = this.#ledger.options;
    const lag = { processed: 0, confirmed: confirmedLag, finalized: finalizedLag }[commitment];
    const block = this.#blocks[Math.max(0, this.#blocks.length - 1 - lag)];
    if (block === undefined) throw new Error('the view has no block');
    return block;
  }

  commitmentOf(slot: number): Commitment {
    if (slot <= this.tip('finalized').slot) return 'finalized';
    return slot <= this.tip('confirmed').slot ? 'confirmed' : 'processed';
  }

  heightOf(blockhash: string): number | null {
    return this.#blocks.find((block) => block.blockhash === blockhash)?.height ?? null;
  }

  lamports(address: string, commitment: Commitment): bigint {
    const { slot } = this.tip(commitment);
    const { top, machine } = this.#ledger;
    const since = this.#ledger.blocksBetween(slot + 1, top.slot).find(({ before }) => before.has(address));
    if (since === undefined) return machine.lamports(address);
    return since.before.get(address)?.lamports ?? 0n;
  }
}
