import type { BlockRef, ChainError } from '../../../domain/chain.ts';
import type { Finality } from '../../../domain/confirmations.ts';
import type { Block, Header, PendingBlock, Receipt } from './node-answers.ts';
import type { RpcRequest } from '../../shared/json-rpc.ts';

/** A balance in wei; `unknown` where the node keeps no state of that block, `unreadable` where its answer is malformed. */
export type BalanceAnswer = bigint | 'unknown' | 'unreadable';

export interface BalanceReadings {
  readonly answers: readonly BalanceAnswer[];
  /** Why the remaining balances were not read. */
  readonly failure: ChainError | null;
}

/** A transaction and its sender's nonce from one request, at a block that the answering backend is proven to know. */
export interface AccountState {
  readonly knowsTip: boolean;
  /** The sender's nonce at the tip; null when the node keeps no state of it. */
  readonly used: number | null;
  readonly receipt: Receipt | null;
  readonly isKnown: boolean;
}

/** Typed calls to the node. Hashes and accounts are lower case. */
export interface NodeClient {
  tip(): Promise<Header>;
  headerAt(height: number): Promise<Header | null>;
  /** The newest block of each finality level. @throws {ChainError} naming the level that the node does not report. */
  finalBlocks(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
  /** @throws {ChainError} `pruned` when the node dropped the block's transactions. */
  blockAt(height: number): Promise<Block | null>;
  /** The latest header and the pending block on top of it, from one request. */
  latestAndPending(): Promise<{ tip: Header; pending: PendingBlock | null }>;
  /**
   * Receipts in the given order, all of this block; null where the node has the block but dropped its
   * receipts, `unreadable` for one of an unknown form.
   */
  receipts(txids: readonly string[], block: BlockRef): Promise<(Receipt | null | 'unreadable')[]>;
  /**
   * Balances as of the end of one block, independent of the answering backend, in the given order up to the
   * first failure.
   * @param giveUp balances not answered by then are not read
   */
  balances(accounts: readonly string[], blockHash: string, giveUp?: AbortSignal): Promise<BalanceReadings>;
  /** One balance, by a different call than the bulk read. @throws {ChainError} when the node does not answer. */
  balanceAlone(account: string, blockHash: string): Promise<BalanceAnswer>;
  /** The account's nonce as of the end of a block; null when the node keeps no state of it. */
  nonceAt(account: string, blockHash: string): Promise<number | null>;
  /** Which of these accounts have a balance or a nonce at the latest block. */
  usedAmong(accounts: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many balances one call reads. */
  balancesPerCall(): number;
  identity(): Promise<{
    chainId: number;
    genesisHash: string | null;
    version: string;
    tip: Header;
    highest: number | null;
    /** Whether the node answers balances for a block named by its hash (EIP-1898). */
    showsState: boolean;
  }>;
  accountState(txid: string, sender: string | null, tip: BlockRef): Promise<AccountState>;
  sendRawTransaction(raw: string): Promise<string>;
  gasPrices(from: string | null): Promise<GasPrices>;
  estimateGas(call: { from: string; to: string; value: bigint }): Promise<bigint>;
  /** The node's answer to a trace of a whole block, or null when it has no such method. */
  trace(method: string, params: RpcRequest['params']): Promise<{ readonly answer: unknown } | null>;
  close(): Promise<void>;
}

export interface GasPrices {
  readonly chainId: number;
  readonly tip: Header & { readonly baseFee: bigint | null };
  /** The priority fee that the node suggests, or that recent blocks included; null when it returns neither. */
  readonly maxPriorityFeePerGas: bigint | null;
  readonly gasPrice: bigint | null;
  /** The failed calls with the reason; null for a successful one. */
  readonly problems: ReadonlyMap<string, string | null>;
  /** Next nonce of the account, pending transactions included; 0 without an account. */
  readonly nonce: number;
}
