import type { Mode } from './coins.ts';

/** The seller on receipts. Every text is one line. */
export interface Business {
  readonly legalName: string;
  readonly addressLines: readonly string[];
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly taxNumber: string | null;
  readonly email: string | null;
}

/** The place of a receipt among those of a shop and mode. */
export interface ReceiptPlace {
  readonly mode: Mode;
  /** The restore before which the numbers of an older copy end, ms; 0: never restored. */
  readonly series: number;
  /** From 1, without gaps. */
  readonly number: number;
}

/**
 * The number as printed. A restored database may lack the newest receipts, so its numbers begin again after the time
 * of the restore: `R-20260131130000-1`.
 * @param prefix not ending in a digit, so that the number can be read from the text
 */
export function receiptLabel(prefix: string, { mode, series, number }: ReceiptPlace): string {
  const time = series === 0 ? '' : `${new Date(series).toISOString().replace(/\D/g, '').slice(0, 14)}-`;
  return `${mode === 'sandbox' ? 'TEST-' : ''}${prefix}${time}${number}`;
}
