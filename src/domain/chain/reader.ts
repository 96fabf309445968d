import type { Coin, Mode, Network } from '../coins.ts';
import type { Finality } from '../confirmations.ts';
import type { BlockRef, ChainBlock, ChainBlockHeader, OutputRef, UnconfirmedView } from './block.ts';
import type { StoredTransaction } from './broadcaster.ts';
import type { SetAsideTransaction } from './unread.ts';

/** Reads a chain's blocks and unconfirmed transactions from its node. */
export interface ChainReader {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly network: Network;
  /** Where reading several blocks at once is cheaper. */
  readonly runs?: BlockRuns;
  /** Where blocks are too many to fetch each, and heights may have none. Other chains are read height by height. */
  readonly sparse?: SparseBlocks;
  /** Where the network has a notion of finality. */
  readonly finality?: NetworkFinality;
  /** Where a node can push notifications. */
  readonly hints?: NodeHints;

  /**
   * The outputs that a transaction spends, from its bytes. Pure. Absent where money is not held in outputs.
   * @throws {ChainError} `bad_answer` when the bytes are no transaction.
   */
  inputsOf?(raw: string): readonly OutputRef[];

  /** Identity and health of the node. @throws {ChainError} `wrong_chain` when it serves another network. */
  status(): Promise<NodeStatus>;
  tip(): Promise<BlockRef>;
  /**
   * Hash of the node's best chain at a height; null above its tip, and where the node does not show a block, which
   * proves nothing. For a height without a block, the hash of the block below once its child proves it.
   */
  hashAt(height: number): Promise<string | null>;
  /** The highest block whose time is at or before `timeMs` (block 0 at least): where a new cursor starts. */
  blockBefore(timeMs: number): Promise<ChainBlockHeader>;
  /**
   * One whole block reduced to what concerns us; null above the tip.
   * @throws {ChainError} `pruned` when the node no longer has it, naming the missing range.
   */
  blockAt(height: number): Promise<ChainBlock | null>;
  /**
   * Everything unconfirmed that concerns us, complete at each call (not a difference), with the
   * tip the node had when the view was taken.
   */
  unconfirmed(): Promise<UnconfirmedView>;
  /**
   * Determines the fate of transactions that left the unconfirmed view without being mined. May rebroadcast them.
   * @param ledger the last block in the ledger: none of the transactions is in it or below
   * @param proof `final`: where a used nonce ends a transaction, it must be used in a final block
   */
  recheck(
    transactions: readonly StoredTransaction[],
    ledger?: BlockRef,
    proof?: 'block' | 'final',
  ): Promise<ReadonlyMap<string, TransactionFate>>;
}

export interface BlockRuns {
  /**
   * Consecutive blocks from a height on; empty above the tip. Only the last may contain anything that concerns us, since
   * that may change how the next ones are matched.
   * @throws {ChainError} `pruned` as blockAt does.
   */
  blocksFrom(height: number): Promise<readonly ChainBlock[]>;
}

export interface SparseBlocks {
  /** Height of the newest final block. */
  finalizedHeight(): Promise<number>;
  /** The first final block above a height that the node has; null while there is none. */
  finalAfter(height: number): Promise<ChainBlockHeader | null>;
  /**
   * The next block above the cursor worth recording, at the latest the tip, with the cursor as its parent; null at
   * the tip.
   * @throws {ChainError} `pruned` as blockAt does.
   */
  blockAfter(cursor: BlockRef): Promise<ChainBlock | null>;
}

export interface NetworkFinality {
  /**
   * The newest block of each requested finality.
   * @throws {ChainError} when the node does not tell, naming what is missing.
   */
  finalBlocks(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
}

export interface NodeHints {
  /** Calls `wake` on news until the returned function is called. A hint to poll earlier, never more. */
  listen(wake: () => void): () => void;
}

export interface NodeStatus {
  readonly tip: BlockRef;
  /** Height of the node's best header; larger than tip.height while it syncs. */
  readonly headersHeight: number;
  readonly syncing: boolean;
  /** Lowest height whose block body the node still has; 0 when unpruned. */
  readonly pruneHeight: number;
  /** Connected peers; null where a node may be alone (regtest, the simulator). */
  readonly peers: number | null;
  readonly version: string;
  readonly warnings: string | null;
  /** Where balances are watched: accounts whose balance the history does not explain, and the difference, atoms. */
  readonly unexplained?: { readonly accounts: number; readonly amount: bigint };
  /** Transactions of the chain that could not be read and are retried. */
  readonly unread?: readonly SetAsideTransaction[];
  /** The alarms among the warnings. */
  readonly alarms?: readonly ChainAlarm[];
}

/**
 * Signs of a mismatch between node, chain and this program. `unknown_version`: a format that cannot be read: a
 * transaction is set aside, a block is not followed past. `new_transactions`: an unknown kind that could still be read.
 * `unreadable`: a malformed block or answer. `unread_transactions`: single transactions are set aside and retried. `blocks_only`: the node accepts no unconfirmed transactions, so
 * that payments are seen only once a block has them. The others explain themselves.
 */
export const CHAIN_ALARMS = [
  'unknown_version',
  'new_transactions',
  'unreadable',
  'unread_transactions',
  'wrong_chain',
  'pruned',
  'clock_skew',
  'node_outdated',
  'blocks_only',
] as const;
export type ChainAlarm = (typeof CHAIN_ALARMS)[number];

/**
 * `present`: known to the node, mined or not; `gone`: can no longer confirm (inputs spent otherwise); `absent`: a node
 * in sync has it in no block and not in its mempool, although its bytes were rebroadcast where available, which alone
 * proves nothing; `unfunded`: as `absent`, and its sender's balance does not cover it at the ledger's block, where its
 * nonce is unused: answered only with the proof `final`; `unknown`: the node could not tell.
 */
export type TransactionFate = 'present' | 'gone' | 'absent' | 'unfunded' | 'unknown';
