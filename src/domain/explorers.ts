import type { Coin } from './coins.ts';

/** Addresses of a block explorer's pages; null: no links. */
export interface Explorer {
  /** With `{tx}` in place of the transaction id. */
  readonly tx: string | null;
  /** With `{address}` in place of the address. */
  readonly address: string | null;
}

/** The explorers that the operator chose for real money. */
export type Explorers = Readonly<Partial<Record<Coin, Explorer>>>;

/** The page of a transaction; null where there is none. */
export function explorerTxUrl(explorers: Explorers, coin: Coin, txid: string): string | null {
  const template = explorers[coin]?.tx ?? null;
  return template === null ? null : template.replace('{tx}', () => encodeURIComponent(txid));
}
