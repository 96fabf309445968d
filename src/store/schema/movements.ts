import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { MovementKind } from '../../domain/movements.ts';

/** A line of the books: never changed and never deleted. Their sum is the confirmed, unspent money of the ledger. */
export interface MovementRow {
  /** Ascends in commit order. */
  seq: Generated<number>;
  merchantId: string;
  coin: Coin;
  mode: Mode;
  /** When it was recorded; never before an earlier line of the merchant and mode, nor in a closed range. */
  at: number;
  kind: MovementKind;
  /** Signed atoms: incoming money is positive. */
  amount: string;
  txid: string;
  /** The output of the line; null where it concerns a spending transaction as a whole. */
  vout: number | null;
  paymentId: string | null;
  sendId: string | null;
  address: string | null;
  /** Currency of the rate; null where neither is known. */
  currency: string | null;
  /** Price of one coin at that time; null where it was unknown. */
  rate: string | null;
  note: string | null;
  /** The line that this one reverses. */
  reverses: number | null;
}
