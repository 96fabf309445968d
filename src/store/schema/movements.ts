import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { MovementKind } from '../../domain/movements.ts';

/** A line of the books: never changed and never deleted. Their sum is the confirmed, unspent money of the ledger. */
export interface MovementRow {
  /** Ascends in the order of commits. */
  seq: Generated<number>;
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  /** When it was recorded; never before an earlier line of the merchant and mode, nor in a range that was read. */
  at: number;
  kind: MovementKind;
  /** Atoms with a sign: what came in is positive. */
  amount: string;
  txid: string;
  /** The output it is about; null where it is about a spending transaction as a whole. */
  vout: number | null;
  payment_id: string | null;
  send_id: string | null;
  address: string | null;
  /** What the rate is in; null where neither is known. */
  currency: string | null;
  /** Price of one coin at the time; null where that was not known. */
  rate: string | null;
  note: string | null;
  /** The line that this one takes back. */
  reverses: number | null;
}
