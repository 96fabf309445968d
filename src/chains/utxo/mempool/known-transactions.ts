import {
  type Ancestor,
  type BlockRef,
  type Debit,
  type OutputRef,
  outputKey,
  type UnconfirmedCredit,
  type UnconfirmedView,
} from '../../../domain/chain.ts';
import type { Matches } from '../blocks/match.ts';
import type { TxidBytes } from '../rpc/node-answers.ts';
import type { SavedTxids } from './mempool-cache.ts';
import { scanTxids, type TxidList } from './scan-txids.ts';
import { TX_STATE, TxidHash, TxidTable, type TxState } from './txid-table.ts';

/** What a view needs of a relevant transaction besides its credits and debits. */
export interface SeenTransaction {
  readonly txid: string;
  /** Null where the node does not return it. */
  readonly nodeTimeMs: number | null;
  readonly inputs: readonly OutputRef[];
  readonly ancestors: readonly Ancestor[];
}

interface Relevant {
  readonly credits: readonly UnconfirmedCredit[];
  readonly debits: readonly Debit[];
}

/** What is known of the transactions of the last list; never more than the node's mempool. */
export class KnownTransactions {
  readonly hash: TxidHash;
  /** Transactions read since the cache was written. */
  unsaved = 0;
  #table: TxidTable;
  readonly #relevant = new Map<string, Relevant>();

  constructor(saved?: SavedTxids | null) {
    this.hash = saved?.hash ?? new TxidHash();
    this.#table = saved?.table ?? new TxidTable(0);
  }

  /** Takes over a new list, and forgets what it lacks. */
  async listed(txids: TxidBytes): Promise<TxidList> {
    const list = await scanTxids(txids, this.#table, this.hash);
    this.#table = list.table;
    for (const txid of this.#relevant.keys()) if (!this.has(txid)) this.#relevant.delete(txid);
    return list;
  }

  /** Of the last list. */
  get table(): TxidTable {
    return this.#table;
  }

  has(txid: string): boolean {
    return this.#stateIn(this.#table, txid) !== undefined;
  }

  /** Those that are listed and were not read. */
  listUnread(txids: readonly string[]): string[] {
    return txids.filter((txid) => {
      const state = this.#stateIn(this.#table, txid);
      return state === TX_STATE.unread || state === TX_STATE.withheld;
    });
  }

  /** Unconfirmed outputs that pay us, for children that spend them. */
  ownOutputs(): Set<string> {
    return new Set(
      [...this.#relevant.values()].flatMap(({ credits }) => credits.map(({ ref }) => outputKey(ref))),
    );
  }

  learn(txids: readonly string[], matches: Matches, found: readonly SeenTransaction[]): void {
    for (const { txid, nodeTimeMs, inputs, ancestors } of found) {
      const credits = matches.credits.filter(({ ref }) => ref.txid === txid);
      this.#relevant.set(txid, {
        credits: credits.map((credit) => Object.assign({}, credit, { nodeTimeMs, inputs, ancestors })),
        debits: matches.debits.filter(({ byTxid }) => byTxid === txid),
      });
    }
    for (const txid of txids)
      this.#setState(txid, this.#relevant.has(txid) ? TX_STATE.relevant : TX_STATE.irrelevant);
    this.unsaved += txids.length;
  }

  /** Records that the node did not return these. */
  withhold(txids: readonly string[]): void {
    for (const txid of txids) this.#setState(txid, TX_STATE.withheld);
  }

  view(tip: BlockRef): UnconfirmedView {
    const all = [...this.#relevant.values()];
    const table = this.#table;
    return {
      tip,
      credits: all.flatMap(({ credits }) => credits),
      debits: all.flatMap(({ debits }) => debits),
      has: (txid) => this.#stateIn(table, txid) !== undefined,
    };
  }

  #stateIn(table: TxidTable, txid: string): TxState | undefined {
    return this.hash.hashText(txid) ? table.get(this.hash.high, this.hash.low) : undefined;
  }

  #setState(txid: string, state: TxState): void {
    if (this.hash.hashText(txid)) this.#table.set(this.hash.high, this.hash.low, state);
  }
}
