import type { Coin, Mode } from '../../domain/coins.ts';
import type { Flag } from './flag.ts';

export interface ChainCursorRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  /** Newest heights that the network called safe and finalized and our own blocks agree with. */
  safe_height: number | null;
  finalized_height: number | null;
  updated_at: number;
}

/** The last blocks we scanned, to find the fork point of a reorg. */
export interface ChainBlockRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  time_ms: number;
}

/** Blocks above one height and below another that were not read, and that the scan went past. */
export interface ChainGapRow {
  coin: Coin;
  mode: Mode;
  after_height: number;
  before_height: number;
  found_at: number;
  /** The node had lost them, or an operator skipped them. */
  reason: 'lost' | 'skipped';
}

/** A transaction that the chain has and that could not be read: see UnreadTransaction. */
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
