import type { Coin, Mode, Network } from '../coins.ts';
import type { Finality } from '../confirmations.ts';
import type { BlockRef, ChainBlock, ChainBlockHeader, OutputRef, UnconfirmedView } from './block.ts';
import type { StoredTransaction } from './broadcaster.ts';

/** What a chain's node tells of blocks and of what is unconfirmed. */
export interface ChainReader {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly network: Network;
  /** Where several blocks are cheaper than each alone. */
  readonly runs?: BlockRuns;
  /** Where blocks are too many to fetch each, and a height can stay without one. Other chains are walked height by height. */
  readonly sparse?: SparseBlocks;
  /** Where the network itself says which blocks stay. */
  readonly finality?: NetworkFinality;
  /** Where a node can say by itself that something happened. */
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
   * Hash of the block on which the node's best chain stands at a height; null above its tip, and where the node does
   * not show a block: that proves nothing. Where a height can stay without a block, it is that of the block below once
   * its child proves it.
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
   * What became of transactions that left the unconfirmed view without being mined. May rebroadcast them.
   * @param ledger the block up to which the ledger has read the chain: none of them is in it, or below
   * @param proof `final`: where a nonce ends a transaction, only one that a final block has used
   */
  recheck(
    transactions: readonly StoredTransaction[],
    ledger?: BlockRef,
    proof?: 'block' | 'final',
  ): Promise<ReadonlyMap<string, TransactionFate>>;
}

export interface BlockRuns {
  /**
   * Blocks from a height on, in a row; empty above the tip. Nothing concerns us in any but the last: it may change what
   * the next ones mean.
   * @throws {ChainError} `pruned` as blockAt does.
   */
  blocksFrom(height: number): Promise<readonly ChainBlock[]>;
}

export interface SparseBlocks {
  /** Height of the newest block that cannot be taken back. */
  finalizedHeight(): Promise<number>;
  /** The first block above a height that the node has and that cannot be taken back; null while there is none. */
  finalAfter(height: number): Promise<ChainBlockHeader | null>;
  /**
   * The next block above the cursor that is worth recording, with the cursor as its parent, at the latest the tip
   * itself; null at the tip.
   * @throws {ChainError} `pruned` as blockAt does.
   */
  blockAfter(cursor: BlockRef): Promise<ChainBlock | null>;
}

export interface NetworkFinality {
  /**
   * The newest block of each kind asked for.
   * @throws {ChainError} when the node does not say, naming what it lacks.
   */
  finalBlocks(wanted: readonly Finality[]): Promise<ReadonlyMap<Finality, BlockRef>>;
}

export interface NodeHints {
  /** Calls `wake` when something happened, until the answer is called. Only ever a reason to look earlier. */
  listen(wake: () => void): () => void;
}

export interface NodeStatus {
  readonly tip: BlockRef;
  /** The node's own view of how far the chain goes; larger than tip.height while it syncs. */
  readonly headersHeight: number;
  readonly syncing: boolean;
  /** Lowest height whose block body the node still has; 0 when unpruned. */
  readonly pruneHeight: number;
  /** Connected peers; null where a node may be alone (regtest, the simulator). */
  readonly peers: number | null;
  readonly version: string;
  readonly warnings: string | null;
  /** Where balances are watched: accounts that hold something else than the history explains, and by how much, atoms. */
  readonly unexplained?: { readonly accounts: number; readonly amount: bigint };
  /** What the warnings are about, as far as it is one of these. */
  readonly alarms?: readonly ChainAlarm[];
}

/**
 * Signs that node, chain and this program no longer fit together. `unknown_version`: what cannot be read,
 * so the chain is not followed past it. `new_transactions`: a kind not known here that could be read all
 * the same. `unreadable`: a block or answer that makes no sense. `blocks_only`: the node takes no unconfirmed
 * transactions, so that payments are seen only once a block has them. The rest says itself.
 */
export const CHAIN_ALARMS = [
  'unknown_version',
  'new_transactions',
  'unreadable',
  'wrong_chain',
  'pruned',
  'clock_skew',
  'node_outdated',
  'blocks_only',
] as const;
export type ChainAlarm = (typeof CHAIN_ALARMS)[number];

/**
 * `present`: known to the node, mined or not; `gone`: cannot confirm any more (inputs spent otherwise); `absent`: a node
 * in step has it in no block and, its bytes offered again as far as they are at hand, not in its mempool, which proves
 * nothing at once; `unknown`: the node could not tell.
 */
export type TransactionFate = 'present' | 'gone' | 'absent' | 'unknown';
