import type { Generated, GeneratedAlways } from 'kysely';
import type { Mode } from '../../domain/coins.ts';

/** The receipt of a payment, written when it is first completed and never changed. */
export interface ReceiptRow {
  paymentId: string;
  merchantId: string;
  mode: Mode;
  series: number;
  /** Without gaps within a merchant, mode and series. */
  number: number;
  /** The number as printed. */
  label: string;
  currency: string;
  /** The price in minor units of the currency. */
  minor: string;
  /** The part of it that is a tip. */
  tipMinor: Generated<string>;
  /** The seller as issued; null: the shop had not entered one. */
  sellerId: number | null;
  /** Never before the receipt with the previous number, and never in a closed range of the books, ms. */
  issuedAt: number;
}

/** A seller that receipts name, once for all of them. */
export interface SellerRow {
  id: GeneratedAlways<number>;
  merchantId: string;
  businessJson: string;
}
