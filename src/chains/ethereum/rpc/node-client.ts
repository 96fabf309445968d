import type { BlockRef, ChainError } from '../../../domain/chain.ts';
import type { Finality } from '../../../domain/confirmations.ts';
import type { Block, Header, PendingBlock, Receipt } from './node-answers.ts';
import type { RpcRequest } from './rpc.ts';

/** What a balance question came to: an amount, or `unknown` where the node keeps no state of that block. */
export type BalanceAnswer = bigint | 'unknown';

export interface BalanceReadings {
  readonly answers: readonly BalanceAnswer[];
  /** Why the others were not read. */
  readonly trouble: ChainError | null;
}

/** What an account looks like in one request, at a block that the answering backend is proven to know. */
export interface AccountState {
  readonly knowsTip: boolean;
  /** Transactions of the sender up to the tip; null when the node keeps no state of it. */
  readonly used: number | null;
  readonly receipt: Receipt | null;
  readonly isKnown: boolean;
}

/** The node in our terms. Hashes and accounts are lower case. */
export interface NodeClient {
  tip(): Promise<Header>;
  headerAt(height: number): Promise<Header | null>;
  /** The newest blocks that the network calls so. @throws {ChainError} naming what the node does not tell. */
  finalBlocks(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
  /** @throws {ChainError} `pruned` when the node dropped the block's transactions. */
  blockAt(height: number): Promise<Block | null>;
  /** The latest header, and the block the node would build on it, from one request. */
  latestAndPending(): Promise<{ tip: Header; pending: PendingBlock | null }>;
  /** In the order asked; every one belongs to the block. Null where the node has the block and dropped its receipts. */
  receipts(txids: readonly string[], block: BlockRef): Promise<(Receipt | null)[]>;
  /**
   * Balances as of the end of one block, whichever backend answers: in the order asked, those before trouble came.
   * @param giveUp what is not answered by then is not read
   */
  balances(accounts: readonly string[], blockHash: string, giveUp?: AbortSignal): Promise<BalanceReadings>;
  /** One balance, asked for in another way than many are. @throws {ChainError} when it is not told. */
  balanceAlone(account: string, blockHash: string): Promise<BalanceAnswer>;
  /** How many transactions an account has made by the end of a block; null when the node keeps no state of it. */
  nonceAt(account: string, blockHash: string): Promise<number | null>;
  /** How many balances one call reads. */
  balancesPerCall(): number;
  identity(): Promise<{
    chainId: number;
    genesisHash: string | null;
    version: string;
    tip: Header;
    highest: number | null;
    /** Whether it tells the balances of a block that is named by its hash (EIP-1898). */
    showsState: boolean;
  }>;
  standing(txid: string, sender: string | null, tip: BlockRef): Promise<AccountState>;
  sendRaw(raw: string): Promise<string>;
  prices(from: string | null): Promise<Prices>;
  estimateGas(call: { from: string; to: string; value: bigint }): Promise<bigint>;
  /** What the node answers for the trace of a whole block, or null when it has no such method. */
  trace(method: string, params: RpcRequest['params']): Promise<{ readonly answer: unknown } | null>;
  close(): Promise<void>;
}

export interface Prices {
  readonly chainId: number;
  readonly tip: Header & { readonly baseFee: bigint | null };
  /** What the node itself suggests as tip and as price. */
  readonly priority: bigint | null;
  readonly gasPrice: bigint;
  /** Next nonce of the account, pending transactions included; 0 without an account. */
  readonly nonce: number;
}
