import type { Coin } from '../../domain/coins.ts';

export interface IdempotencyRow {
  scope: string;
  key: string;
  route: string;
  requestHash: string;
  state: 'in_flight' | 'done';
  status: number | null;
  bodySealed: string | null;
  createdAt: number;
  /** Null: kept for ever (sends). */
  expiresAt: number | null;
}

export interface SimBlockRow {
  coin: Coin;
  height: number;
  hash: string;
  parentHash: string;
  timeMs: number;
}

export interface SimTransactionRow {
  coin: Coin;
  txid: string;
  /** Null while unconfirmed. */
  height: number | null;
  state: 'mempool' | 'mined' | 'dropped';
  bodyJson: string;
  createdAt: number;
}

/** Simulated transactions that spend an output; several may conflict, at most one is not dropped. */
export interface SimSpendRow {
  coin: Coin;
  txid: string;
  vout: number;
  byTxid: string;
}
