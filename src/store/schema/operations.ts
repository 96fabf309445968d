import type { Coin } from '../../domain/coins.ts';

export interface IdempotencyRow {
  scope: string;
  key: string;
  route: string;
  request_hash: string;
  state: 'in_flight' | 'done';
  status: number | null;
  body_sealed: string | null;
  created_at: number;
  /** Null: kept for ever (sends). */
  expires_at: number | null;
}

export interface SimBlockRow {
  coin: Coin;
  height: number;
  hash: string;
  parent_hash: string;
  time_ms: number;
}

export interface SimTransactionRow {
  coin: Coin;
  txid: string;
  /** Null while unconfirmed. */
  height: number | null;
  state: 'mempool' | 'mined' | 'dropped';
  body_json: string;
  created_at: number;
}

/** Simulated transactions that spend an output; several may conflict, at most one is not dropped. */
export interface SimSpendRow {
  coin: Coin;
  txid: string;
  vout: number;
  by_txid: string;
}
