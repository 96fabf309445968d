import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { CreditState } from '../../domain/payment/types.ts';
import type { Flag } from './flag.ts';

export interface AddressRow {
  id: Generated<number>;
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  branch: 0 | 1;
  idx: number;
  address: string;
  watch_key: string;
  /**
   * `recovered`: may have been issued after the backup that was restored; watched, and never issued again.
   */
  purpose: 'wallet' | 'payment' | 'change' | 'recovered';
  payment_id: string | null;
  created_at: number;
}

export interface AddressCounterRow {
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  branch: 0 | 1;
  next_index: number;
}

/**
 * Live addresses reserved by a restore: from next_index up to until_index, exclusive, they are not watched
 * yet.
 */
export interface LookAheadRangeRow {
  id: Generated<number>;
  merchant_id: string;
  coin: Coin;
  branch: 0 | 1;
  next_index: number;
  until_index: number;
  /** Creation time of their addresses. */
  created_at: number;
}

/** Every output that ever paid one of our addresses: the ledger. */
export interface OutputRow {
  /** Counts outputs in the order of their first insertion. */
  seq: Generated<number>;
  coin: Coin;
  mode: Mode;
  txid: string;
  vout: number;
  address_id: number;
  merchant_id: string;
  payment_id: string | null;
  amount: string;
  state: CreditState;
  height: number | null;
  block_hash: string | null;
  maturity: number;
  first_seen_at: number;
  late: Flag;
  late_due: string | null;
  /** Transaction that spends it, when one is known; height null while that one is unconfirmed. */
  spent_by: string | null;
  spent_height: number | null;
  /** Send that reserved it. */
  send_id: string | null;
  updated_at: number;
  /** Confirmations up to which its payment follows each of them; 0 for outputs without a payment. */
  awaited_depth: Generated<number>;
  /**
   * Its position in the sequence of its order's money, decisions and refunds; 0 for outputs without a
   * payment.
   */
  position: Generated<number>;
  /** When it was first seen in a block, ms; kept when a reorg removes that block. */
  confirmed_at: number | null;
  /** Price of one coin in the payment's currency at receipt; null where it was unknown. */
  rate: Generated<string | null>;
  rate_at: Generated<number | null>;
}

export interface RawTransactionRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  raw: string;
  created_at: number;
  /** The block with another spend of one of its inputs, or of an ancestor's; null while none is known. */
  conflict_height: Generated<number | null>;
}

/** An output that an unconfirmed payment to us spends. */
export interface UnconfirmedInputRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  vout: number;
  spender: string;
  /** The transaction that made this input was unconfirmed itself when last seen. */
  parent_open: Flag;
}
