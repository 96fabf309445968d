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
  /** `recovered`: may have been given out after the backup that was restored; watched, never given out again. */
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

/** Live addresses reserved by a restore: from next_index on, below until_index, they are not watched yet. */
export interface LookAheadRangeRow {
  id: Generated<number>;
  merchant_id: string;
  coin: Coin;
  branch: 0 | 1;
  next_index: number;
  until_index: number;
  /** Time that their addresses are stored with. */
  created_at: number;
}

/** Every output that ever paid one of our addresses: the ledger. */
export interface OutputRow {
  /** Counts outputs in the order in which they were first written. */
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
  /** Confirmations up to which its payment wants to hear of each; 0 of what is no payment's. */
  awaited_depth: Generated<number>;
  /** Its place among the money, decisions and refunds of its order; 0 of what is no payment's. */
  position: Generated<number>;
  /** When a block was first seen to hold it, ms; kept when a reorg takes that block. */
  confirmed_at: number | null;
  /** Price of one coin in the payment's currency when it came; null where that was not known. */
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
