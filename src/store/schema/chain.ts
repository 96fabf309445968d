import type { Coin, Mode } from '../../domain/coins.ts';
import type { Flag } from './flag.ts';

export interface ChainCursorRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  /** Newest heights that the network reports as safe and finalized and that agree with our own blocks. */
  safe_height: number | null;
  finalized_height: number | null;
  updated_at: number;
}

/** The last scanned blocks, to find the fork point of a reorg. */
export interface ChainBlockRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  time_ms: number;
}

/** Blocks between two heights, both excluded, that the scan skipped unread. */
export interface ChainGapRow {
  coin: Coin;
  mode: Mode;
  after_height: number;
  before_height: number;
  found_at: number;
  /** The node had lost them, or an operator skipped them. */
  reason: 'lost' | 'skipped';
}

/** A transaction of the chain that could not be parsed: see UnreadTransaction. */
export interface UnreadTransactionRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  height: number;
  watch_key: string | null;
  reason: string;
  unknown_version: Flag;
  first_seen_at: number;
  attempts: number;
  retry_at: number;
}
