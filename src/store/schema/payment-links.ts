import type { LinkField, LinkKind } from '../../domain/payment-link.ts';
import type { CreatorColumns } from './creator.ts';

export interface PaymentLinkRow extends CreatorColumns {
  id: string;
  merchantId: string;
  /** Last part of its address: random, because knowledge of it allows payment. */
  slug: string;
  kind: LinkKind;
  name: string;
  description: string | null;
  /** Exactly one of price_id, amount and open_amount_json is set; currency belongs to the last two. */
  priceId: string | null;
  amount: string | null;
  currency: string | null;
  /** OpenAmount. */
  openAmountJson: string | null;
  /** AskedField[]. */
  fieldsJson: string;
  successUrl: string | null;
  /** Clerks cannot change its price: the owner or a key set it, or it comes from the catalog. */
  priceLocked: boolean;
  active: boolean;
  createdAt: number;
  updatedAt: number;
  /** Deleted rows stay: visitors of the address see that it was deleted, and no other link ever gets it. */
  deletedAt: number | null;
}

/** A question to the payer besides the money. */
export interface AskedField {
  readonly name: LinkField;
  readonly required: boolean;
}

/** Decimal strings in the link's currency. */
export interface OpenAmount {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly suggested?: readonly string[] | undefined;
}
