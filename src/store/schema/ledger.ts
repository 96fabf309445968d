import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { CreditState } from '../../domain/payment/types.ts';

export interface AddressRow {
  id: Generated<number>;
  merchantId: string;
  coin: Coin;
  mode: Mode;
  branch: 0 | 1;
  /** See store/ledger/address-index.ts. */
  idx: number;
  address: string;
  watchKey: string;
  /**
   * `recovered`: may have been issued after the backup that was restored; watched, and never issued again.
   */
  purpose: 'wallet' | 'payment' | 'change' | 'recovered';
  paymentId: string | null;
  createdAt: number;
}

/** The last recorded block when an order got an address of a watched account (BTC, LTC). */
export interface AddressTipRow {
  addressId: number;
  height: number;
  hash: string;
}

/** An account of another wallet whose addresses a shop gives out. */
export interface WatchAccountRow {
  /** Part of the stored index of its addresses; see store/ledger/address-index.ts. */
  number: Generated<number>;
  id: string;
  merchantId: string;
  coin: Coin;
  mode: Mode;
  /** Output descriptor with both branches; public keys only. */
  descriptor: string;
  /** Watch keys of the first addresses, which tell the same account in another form. */
  firstReceive: string;
  firstChange: string;
  nextReceive: number;
  nextChange: number;
  /** Number of its addresses in `watch_addresses`; null: its descriptor derives them. */
  listSize: number | null;
  /** Null: its owner has not compared its addresses yet. */
  confirmedAt: number | null;
  /** The change that the link of a mail undoes. */
  pendingId: string | null;
  /** From when on new orders use it; null: they do not. Of several, the latest counts. */
  startsAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** An address of a watched account that is a list. */
export interface WatchAddressRow {
  accountNumber: number;
  /** Its position in the list. */
  idx: number;
  coin: Coin;
  mode: Mode;
  watchKey: string;
  address: string;
  /** Its list is confirmed: no other confirmed one has the address. */
  confirmed: Generated<boolean>;
  /** When it was given out; set once. */
  givenAt: number | null;
  paymentId: string | null;
  /** Time of the last recorded block then; null where unknown. */
  chainTime: Generated<number | null>;
}

/** A label that a shop imported (BIP 329). */
export interface WalletLabelRow {
  merchantId: string;
  coin: Coin;
  mode: Mode;
  kind: 'tx' | 'addr' | 'output';
  /** Transaction id, address, or `txid:index` of an output. */
  ref: string;
  label: string;
  updatedAt: number;
}

export interface AddressCounterRow {
  merchantId: string;
  coin: Coin;
  mode: Mode;
  branch: 0 | 1;
  nextIndex: number;
}

/**
 * Live addresses reserved by a restore: from next_index up to until_index, exclusive, they are not watched
 * yet.
 */
export interface LookAheadRangeRow {
  id: Generated<number>;
  merchantId: string;
  coin: Coin;
  branch: 0 | 1;
  nextIndex: number;
  untilIndex: number;
  /** Creation time of their addresses. */
  createdAt: number;
}

/** Every output that ever paid one of our addresses: the ledger. */
export interface OutputRow {
  /** Counts outputs in the order of their first insertion. */
  seq: Generated<number>;
  coin: Coin;
  mode: Mode;
  txid: string;
  vout: number;
  addressId: number;
  merchantId: string;
  paymentId: string | null;
  amount: string;
  state: CreditState;
  height: number | null;
  blockHash: string | null;
  maturity: number;
  firstSeenAt: number;
  late: boolean;
  lateDue: string | null;
  /** Transaction that spends it, when one is known; height null while that one is unconfirmed. */
  spentBy: string | null;
  spentHeight: number | null;
  /** Send that reserved it. */
  sendId: string | null;
  updatedAt: number;
  /** Confirmations up to which its payment follows each of them; 0 for outputs without a payment. */
  awaitedDepth: Generated<number>;
  /**
   * Its position in the sequence of its order's money, decisions and refunds; 0 for outputs without a
   * payment.
   */
  position: Generated<number>;
  /** When it was first seen in a block, ms; kept when a reorg removes that block. */
  confirmedAt: number | null;
  /** Price of one coin in the payment's currency at receipt; null where it was unknown. */
  rate: Generated<string | null>;
  rateAt: Generated<number | null>;
  /** On an address of a watched account: the till has no key for it. */
  watchOnly: Generated<boolean>;
}

export interface RawTransactionRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  raw: string;
  createdAt: number;
  /** The block with another spend of one of its inputs, or of an ancestor's; null while none is known. */
  conflictHeight: Generated<number | null>;
}

/** An output that an unconfirmed payment to us spends. */
export interface UnconfirmedInputRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  vout: number;
  spender: string;
  /** The transaction that made this input was unconfirmed itself when last seen. */
  parentOpen: boolean;
}
