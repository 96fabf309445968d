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
  /** Set where reading several blocks in one call is cheaper. */
  readonly blockBatches?: BlockRuns;
  /**
   * Set where blocks are too many to fetch each one, and heights may have no block. Other chains are read
   * height by height.
   */
  readonly sparse?: SparseBlocks;
  /** Set where the network defines finality. */
  readonly finality?: NetworkFinality;
  /** Set where a node can push notifications. */
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
   * Hash of the node's best chain at a height; null above its tip, and where the node returns no block, which
   * proves nothing. For a height without a block, the hash of the block below once its child proves it.
   */
  hashAt(height: number): Promise<string | null>;
  /** The highest block whose time is at or before `timeMs` (block 0 at least): where a new cursor starts. */
  blockBefore(timeMs: number): Promise<ChainBlockHeader>;
  /**
   * One whole block reduced to its relevant transactions; null above the tip.
   * @throws {ChainError} `pruned` when the node no longer has it, naming the missing range.
   */
  blockAt(height: number): Promise<ChainBlock | null>;
  /**
   * All relevant unconfirmed transactions that were read so far (not a difference), with the node's tip when it
   * took the view. Those of a large mempool take several calls.
   */
  unconfirmed(): Promise<UnconfirmedView>;
  /**
   * Determines the fate of transactions that left the unconfirmed view without being mined. May rebroadcast
   * them.
   * @param ledger the last block in the ledger: none of the transactions is in it or in an earlier block
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
   * Consecutive blocks from a height on; empty above the tip. Only the last one may contain a relevant
   * transaction, because that can change how later blocks are matched.
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
  /**
   * Whether the chain contained the cursor's block when it was last read, and blockAfter will compare it again:
   * it needs no `hashAt` before a round.
   */
  isChecked(cursor: BlockRef): boolean;
}

export interface NetworkFinality {
  /**
   * The newest block of each requested finality.
   * @throws {ChainError} when the node's answer lacks one; the message names it.
   */
  finalBlocks(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
}

export interface NodeHints {
  /**
   * Calls `wake` on each notification until the returned function is called. A notification only makes the
   * daemon poll earlier.
   */
  listen(wake: () => void): () => void;
}

export interface NodeStatus {
  readonly tip: BlockRef;
  /** Height of the node's best header; above tip.height while it syncs. */
  readonly headersHeight: number;
  readonly syncing: boolean;
  /** Lowest height whose block body the node still has; 0 when unpruned. */
  readonly pruneHeight: number;
  /** Connected peers; null where a node may be alone (regtest, the simulator). */
  readonly peers: number | null;
  readonly version: string;
  readonly warnings: string | null;
  /**
   * Where balances are watched: accounts whose history does not explain their balance, and the difference in
   * atoms.
   */
  readonly unexplained?: { readonly accounts: number; readonly amount: bigint };
  /** Transactions of the chain that could not be parsed and are retried. */
  readonly unread?: readonly SetAsideTransaction[];
  /** The alarms among the warnings. */
  readonly alarms?: readonly ChainAlarm[];
}

/**
 * Signs of a mismatch between node, chain and this program. `unknown_version`: an unsupported format: a
 * transaction is set aside, and scanning stops at a block. `new_transactions`: an unknown kind that could
 * still be parsed. `unreadable`: a malformed block or answer. `unread_transactions`: single transactions are
 * set aside and retried. `blocks_only`: the node accepts no unconfirmed transactions, so payments are seen
 * only once they are in a block.
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
 * `present`: known to the node, mined or not; `gone`: can no longer confirm, because its inputs were spent
 * otherwise; `absent`: a node in sync has it in no block and not in its mempool, although its bytes were
 * rebroadcast where available, which alone proves nothing; `unfunded`: as `absent`, and at the ledger's
 * block, where its nonce is unused, its sender's balance does not cover it (returned only with the proof
 * `final`); `unknown`: the node could not answer.
 */
export type TransactionFate = 'present' | 'gone' | 'absent' | 'unfunded' | 'unknown';
