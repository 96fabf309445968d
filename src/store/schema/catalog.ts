import type { RecurringInterval } from '../../domain/catalog.ts';
import type { Flag } from './flag.ts';

export interface CustomerRow {
  id: string;
  user_id: string;
  email: string;
  email_key: string;
  metadata_json: string;
  created_at: number;
  updated_at: number;
}

export interface ProductRow {
  id: string;
  user_id: string;
  name: string;
  description: string | null;
  recurring: Flag;
  /** Set exactly when it is recurring. */
  recurring_interval: RecurringInterval | null;
  active: Flag;
  created_at: number;
  updated_at: number;
  /** Soft delete: payments still refer to the row. */
  deleted_at: number | null;
}

/** A shop that sells a product. A product without rows is sold by all shops of its account. */
export interface ProductShopRow {
  product_id: string;
  merchant_id: string;
}

export interface PriceRow {
  id: string;
  user_id: string;
  product_id: string;
  /** Decimal string in the currency's unit, as the merchant wrote it. */
  amount: string;
  currency: string;
  active: Flag;
  created_at: number;
  updated_at: number;
  /** Also set when its product is deleted. */
  deleted_at: number | null;
}
