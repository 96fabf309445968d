import { ChainError } from '../../../domain/chain.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { UnreadTransactions } from '../../shared/unread-transactions.ts';
import type { LandedTransaction } from '../blocks/own-transactions.ts';
import { datedAfter, type DatedHeader } from '../rpc/block-times.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { isNotNow } from '../rpc/rpc.ts';

/** A block that contains transactions of ours, in order of execution. */
export interface ActiveBlock {
  readonly header: DatedHeader;
  readonly transactions: readonly LandedTransaction[];
}

export interface ActiveBlocksDeps {
  readonly client: NodeClient;
  readonly clock: Clock;
  readonly unread: UnreadTransactions;
}

/** Blocks read in parallel, once there are many. */
const MAX_AT_A_TIME = 8;
/** Number of attempts to read a block, while other calls succeed, before its transactions are set aside. */
const MAX_ATTEMPTS = 3;
/** Maximum number of unavailable blocks that are remembered. */
const MAX_UNSHOWN = 1_000;

/** Reads the blocks of our transactions: their times, and their order in them. */
export class ActiveBlocks {
  readonly #deps: ActiveBlocksDeps;
  /** Slots whose block the node did not return, with the number of attempts. */
  readonly #unshown = new Map<number, number>();

  constructor(deps: ActiveBlocksDeps) {
    this.#deps = deps;
  }

  /**
   * The blocks of these transactions, by slot. @param accountBySignature the watched account whose history lists each
   * @throws {ChainError} when one is unavailable: retry, without its transactions once they are set aside.
   */
  async read(
    transactions: readonly LandedTransaction[],
    {
      finalized,
      accountBySignature,
    }: { readonly finalized: number; readonly accountBySignature: ReadonlyMap<string, string> },
  ): Promise<ActiveBlock[]> {
    const slots = [...Map.groupBy(transactions, ({ slot }) => slot)].sort(([a], [b]) => a - b);
    const active: ActiveBlock[] = [];
    while (active.length < slots.length) {
      const ahead = Math.min(MAX_AT_A_TIME, Math.max(1, active.length));
      const next = slots.slice(active.length, active.length + ahead);
      const read = next.map(async ([slot, inSlot]) => {
        try {
          const block = await this.#readOne(slot, inSlot, slot <= finalized);
          this.#unshown.delete(slot);
          return block;
        } catch (error) {
          if (error instanceof ChainError) await this.#failed(slot, { inSlot, accountBySignature, error });
          throw error;
        }
      });
      active.push(...(await Promise.all(read)));
    }
    return active;
  }

  async #readOne(
    slot: number,
    transactions: readonly LandedTransaction[],
    isFinal: boolean,
  ): Promise<ActiveBlock> {
    const { client, clock } = this.#deps;
    // The signatures determine the order and show that nothing changed in the meantime: a single final
    // transaction needs neither.
    const isSure = isFinal && transactions.length === 1;
    const header = await client.block(slot, isSure ? 'none' : 'signatures');
    const order = new Map((header?.signatures ?? []).map((signature, position) => [signature, position]));
    if (header === null || (!isSure && transactions.some(({ signature }) => !order.has(signature)))) {
      throw new ChainError('unavailable', `getBlock: slot ${slot} is missing, or changed while it was read`);
    }
    const position = ({ signature }: LandedTransaction): number => order.get(signature) ?? 0;
    const dated = await datedAfter(client, header, clock.now());
    return { header: dated, transactions: transactions.toSorted((a, b) => position(a) - position(b)) };
  }

  /**
   * A fork or a lagging backend makes a block unavailable for a moment; a block that stays unavailable must
   * not stop the others.
   */
  async #failed(
    slot: number,
    about: {
      readonly inSlot: readonly LandedTransaction[];
      readonly accountBySignature: ReadonlyMap<string, string>;
      readonly error: ChainError;
    },
  ): Promise<void> {
    const { inSlot, accountBySignature, error } = about;
    if (error.isRateLimited || isNotNow(error)) return;
    const attempts = (this.#unshown.get(slot) ?? 0) + 1;
    this.#unshown.set(slot, attempts);
    const [oldest] = this.#unshown.keys();
    if (this.#unshown.size > MAX_UNSHOWN && oldest !== undefined) this.#unshown.delete(oldest);
    if (attempts < MAX_ATTEMPTS) return;
    for (const { signature: txid } of inSlot) {
      const watchKey = accountBySignature.get(txid) ?? null;
      const reason = error.message;
      await this.#deps.unread.failed({ txid, height: slot, watchKey, reason, isUnknownVersion: false });
    }
  }
}
