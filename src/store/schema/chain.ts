import type { Coin, Mode } from '../../domain/coins.ts';

export interface ChainCursorRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  /** Newest heights that the network reports as safe and finalized and that agree with our own blocks. */
  safeHeight: number | null;
  finalizedHeight: number | null;
  updatedAt: number;
}

/** The last scanned blocks, to find the fork point of a reorg. */
export interface ChainBlockRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  timeMs: number;
}

/** Blocks between two heights, both excluded, that the scan skipped unread. */
export interface ChainGapRow {
  coin: Coin;
  mode: Mode;
  afterHeight: number;
  beforeHeight: number;
  foundAt: number;
  /** The node had lost them, or an operator skipped them. */
  reason: 'lost' | 'skipped';
}

/** A transaction of the chain that could not be parsed: see UnreadTransaction. */
export interface UnreadTransactionRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  height: number;
  watchKey: string | null;
  reason: string;
  unknownVersion: boolean;
  firstSeenAt: number;
  attempts: number;
  retryAt: number;
}
