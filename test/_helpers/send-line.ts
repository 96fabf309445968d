/** The line between a daemon and its node, as bad as lines get. */
import type { BroadcastResult, ChainAdapter, StoredTransaction } from '../../src/domain/chain.ts';
import { assertNever } from '../../src/domain/errors.ts';

/** What comes of one offer: `lost` and `dies_after` reach the network, though the daemon does not hear so. */
export const ANSWERS = [
  'heard',
  'heard',
  'heard',
  'lost',
  'never',
  'refused',
  'dies_before',
  'dies_after',
] as const;
export type Answer = (typeof ANSWERS)[number];

/** The line between daemon and node, on which each offer meets the next of the answers. */
export class LifeLine {
  /** Null: every offer is heard and answered. */
  answers: Iterator<Answer> | null = null;
  /** Called when the process ends in the middle of an offer. */
  onDeath: () => void = () => {};
  /** Transactions that a node may have. */
  readonly outside = new Set<string>();
  /** Those that a node had, and may hand on at any time. */
  readonly #delivered = new Map<string, StoredTransaction>();
  #adapter: ChainAdapter | null = null;

  /** Some node offers what it once had to all others. */
  async revive(which: number): Promise<void> {
    const transaction = [...this.#delivered.values()][which % Math.max(1, this.#delivered.size)];
    if (transaction !== undefined) await this.#adapter?.broadcast(transaction);
  }

  over(adapter: ChainAdapter): ChainAdapter {
    this.#adapter = adapter;
    return {
      ...adapter,
      recheck: async (transactions, ledger) => {
        for (const { txid } of transactions) this.outside.add(txid);
        return adapter.recheck(transactions, ledger);
      },
      broadcast: async (transaction) => this.#offer(adapter, transaction),
    };
  }

  async #offer(adapter: ChainAdapter, transaction: StoredTransaction): Promise<BroadcastResult> {
    const answer: Answer = this.answers === null ? 'heard' : this.answers.next().value;
    if (answer !== 'refused') this.outside.add(transaction.txid);
    switch (answer) {
      case 'heard':
        return this.#deliver(adapter, transaction);
      case 'lost':
        await this.#deliver(adapter, transaction);
        return { kind: 'unknown', reason: 'the answer was lost' };
      case 'never':
        return { kind: 'unknown', reason: 'no answer' };
      case 'refused':
        return { kind: 'rejected', reason: 'refused' };
      case 'dies_after':
        await this.#deliver(adapter, transaction);
        return this.#die();
      case 'dies_before':
        return this.#die();
      default:
        return assertNever(answer);
    }
  }

  async #deliver(adapter: ChainAdapter, transaction: StoredTransaction): Promise<BroadcastResult> {
    const result = await adapter.broadcast(transaction);
    if (result.kind === 'accepted') this.#delivered.set(transaction.txid, transaction);
    return result;
  }

  /** Nothing of what waits for this answer ever goes on, as in a process that was killed. */
  #die(): Promise<never> {
    this.onDeath();
    return new Promise(() => {});
  }
}

/** These answers, and from then on good ones only. */
export function* answered(...first: readonly Answer[]): Generator<Answer> {
  yield* first;
  for (;;) yield 'heard';
}
