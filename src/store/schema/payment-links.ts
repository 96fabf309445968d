import type { LinkField, LinkKind } from '../../domain/payment-link.ts';
import type { CreatorColumns } from './creator.ts';
import type { Flag } from './flag.ts';

export interface PaymentLinkRow extends CreatorColumns {
  id: string;
  merchant_id: string;
  /** What its address ends with: random, because whoever knows it may pay. */
  slug: string;
  kind: LinkKind;
  name: string;
  description: string | null;
  /** Exactly one of price_id, amount and open_amount_json is set; currency belongs to the last two. */
  price_id: string | null;
  amount: string | null;
  currency: string | null;
  /** OpenAmount. */
  open_amount_json: string | null;
  /** AskedField[]. */
  fields_json: string;
  success_url: string | null;
  /** No clerk changes what it costs: the owner or a key set that, or it is of the catalog. */
  price_locked: Flag;
  active: Flag;
  created_at: number;
  updated_at: number;
  /** Deleted rows stay: who has the address is told, and no other link ever gets it. */
  deleted_at: number | null;
}

/** What a link asks of the payer beside the money. */
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
