import type { Coin } from './coins.ts';

/** Fate of the transactions in the blocks that a simulated reorg removes. */
export type SimulatedReorgFate = 'moved' | 'dropped' | 'replaced';

/** Actions of payers and miners on the sandbox network, which tilld itself cannot perform. */
export interface SimulatorControl {
  /**
   * Pays from thin air, one output per entry, in one unconfirmed transaction. Returns its txid. With an
   * `order`, the same order is paid once: a repeat returns the first transaction, whatever its fate.
   */
  pay(
    outputs: readonly { readonly address: string; readonly amount: bigint }[],
    order?: string | null,
  ): Promise<string>;
  /** The payment of an order; null if it was not paid. */
  paid(order: string): Promise<PaidOrder | null>;
  /** Mines `count` blocks at once; the first includes the mempool. Returns the new tip height. */
  mine(count: number): Promise<number>;
  /**
   * Double-spends an unconfirmed transaction: same inputs, higher fee, paying `address` (a
   * foreign one by default). Returns the txid of the replacement.
   * @throws {SimulatorRefusal} when it is not in the mempool.
   */
  replace(txid: string, address?: string): Promise<string>;
  /**
   * Replaces the last `depth` blocks by `depth + 1` others. Transactions in them are mined again in the last
   * new block (`moved`), forgotten (`dropped`) or double-spent on the new branch (`replaced`). With `txids`,
   * only those are affected and the rest is moved; `depth` then defaults to that of the oldest of them. At
   * most 100 blocks.
   * @throws {SimulatorRefusal} when the chain is not that long or none of them is mined.
   */
  reorg(request: {
    readonly depth?: number;
    readonly fate: SimulatedReorgFate;
    readonly txids?: readonly string[];
  }): Promise<void>;
  /** Evicts an unconfirmed transaction from the node's mempool; its inputs stay unspent. */
  drop(txid: string): Promise<void>;
}

/** The transaction that paid an order. */
export interface PaidOrder {
  readonly txid: string;
  /** Whether it was later dropped or double-spent. */
  readonly isGone: boolean;
}

/** A request that the simulated network cannot carry out in its current state. */
export class SimulatorRefusal extends Error {
  override name = 'SimulatorRefusal';
}

/** The sandbox networks this daemon simulates. */
export interface SimulatorControls {
  /** Null when the coin has no simulated network. */
  get(coin: Coin): SimulatorControl | null;
}
