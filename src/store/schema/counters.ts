import type { CreatorColumns } from './creator.ts';

/** A counter of a shop: one device that charges customers. */
export interface CounterRow extends CreatorColumns {
  id: string;
  merchantId: string;
  name: string;
  /** ISO 4217: the currency of everything that it charges. */
  currency: string;
  /** The tips that it offers, in percent: [5,10,15]; [] for none. */
  tipsJson: string;
  /** Ids of the prices that it offers as keys, in their order. */
  favouritesJson: string;
  /** SHA-256 of the code that connects a device once; null: none is open. */
  codeHash: string | null;
  codeExpiresAt: number | null;
  /** SHA-256 of the token of the connected device; null: none is connected. */
  tokenHash: string | null;
  connectedAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
  updatedAt: number;
  /** Deleted rows stay, because their payments name them. */
  deletedAt: number | null;
}
