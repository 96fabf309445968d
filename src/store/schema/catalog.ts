import type { RecurringInterval } from '../../domain/catalog.ts';

export interface CustomerRow {
  id: string;
  userId: string;
  email: string;
  emailKey: string;
  metadataJson: string;
  createdAt: number;
  updatedAt: number;
}

export interface ProductRow {
  id: string;
  userId: string;
  name: string;
  description: string | null;
  recurring: boolean;
  /** Set exactly when it is recurring. */
  recurringInterval: RecurringInterval | null;
  active: boolean;
  createdAt: number;
  updatedAt: number;
  /** Soft delete: payments still refer to the row. */
  deletedAt: number | null;
}

/** A shop that sells a product. A product without rows is sold by all shops of its account. */
export interface ProductShopRow {
  productId: string;
  merchantId: string;
}

export interface PriceRow {
  id: string;
  userId: string;
  productId: string;
  /** Decimal string in the currency's unit, as the merchant wrote it. */
  amount: string;
  currency: string;
  active: boolean;
  createdAt: number;
  updatedAt: number;
  /** Also set when its product is deleted. */
  deletedAt: number | null;
}
