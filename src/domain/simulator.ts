import type { BlockRef, ChainBlockHeader, OutputRef } from './chain.ts';
import type { Coin } from './coins.ts';

/**
 * State of the sandbox network, and the port to its store. All four coins share one model:
 * transactions that spend outputs and create outputs.
 */
interface SimulatedOutput {
  readonly watchKey: string;
  readonly address: string;
  readonly amount: bigint;
}

/** `dropped`: out of mempool and chain; it may come back while its inputs are unspent. */
type SimulatedTransactionState = 'mempool' | 'mined' | 'dropped';

export interface SimulatedTransaction {
  readonly txid: string;
  readonly inputs: readonly OutputRef[];
  readonly outputs: readonly SimulatedOutput[];
  readonly fee: bigint;
  readonly raw: string;
  readonly state: SimulatedTransactionState;
  /** Height of its block; null unless mined. */
  readonly height: number | null;
  /** When the simulated node first saw it, ms. */
  readonly createdAt: number;
}

/** A transaction's spend of an output; several may conflict, at most one is not dropped. */
interface SimulatedSpend {
  readonly ref: OutputRef;
  readonly byTxid: string;
  readonly state: SimulatedTransactionState;
}

/** One coin's simulated chain inside one atomic unit of work. */
export interface SimulatorLedger {
  tip(): Promise<ChainBlockHeader | null>;
  block(height: number): Promise<ChainBlockHeader | null>;
  /** Highest kept block whose time is at or before `timeMs`. */
  blockBefore(timeMs: number): Promise<ChainBlockHeader | null>;
  /** Lowest kept block above genesis; null when there is none. */
  lowestKept(): Promise<BlockRef | null>;
  addBlock(block: ChainBlockHeader): Promise<void>;
  removeBlocksFrom(height: number): Promise<void>;
  /** Deletes block headers from height 1 up to, not including, `height`; transactions stay. */
  pruneBlocksBelow(height: number): Promise<void>;

  transaction(txid: string): Promise<SimulatedTransaction | null>;
  transactions(txids: readonly string[]): Promise<readonly SimulatedTransaction[]>;
  minedAt(height: number): Promise<readonly SimulatedTransaction[]>;
  minedFrom(height: number): Promise<readonly SimulatedTransaction[]>;
  /** Height of the newest mined transaction. */
  lastMinedHeight(): Promise<number | null>;
  /** Oldest first. */
  mempool(): Promise<readonly SimulatedTransaction[]>;
  hasMempool(): Promise<boolean>;
  addTransaction(transaction: SimulatedTransaction): Promise<void>;
  setState(txids: readonly string[], state: SimulatedTransactionState, height: number | null): Promise<void>;
  /** Every transaction, dropped ones too, that spends one of these outputs. */
  listSpends(refs: readonly OutputRef[]): Promise<readonly SimulatedSpend[]>;
}

/** The store of the sandbox network. It keeps no state in memory. */
export interface SimulatorStore {
  /** Runs work atomically; any error undoes all of it. The work must not await anything else. */
  transact<T>(coin: Coin, work: (ledger: SimulatorLedger) => Promise<T>): Promise<T>;
}
