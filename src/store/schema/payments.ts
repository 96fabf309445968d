import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { Finality } from '../../domain/confirmations.ts';
import type { RefundRate } from '../../domain/payment/refund-link.ts';
import type { Flag } from './flag.ts';
import type { LatePolicy, PaymentException, PaymentStatus } from '../../domain/payment/types.ts';
import type { CreatorColumns } from './creator.ts';

export interface PaymentRow extends CreatorColumns {
  id: string;
  merchant_id: string;
  /** Null: anonymous. */
  customer_id: string | null;
  order_id: string;
  /** The customer-facing name of the order, shown instead of its id; null: the id is shown. */
  order_label: string | null;
  mode: Mode;
  status: PaymentStatus;
  exception: PaymentException | null;
  amount: string;
  currency: string;
  product_id: string | null;
  price_id: string | null;
  /** Clerks cannot change the price: the owner or a key set it, or it comes from the catalog. */
  price_locked: Generated<Flag>;
  metadata_json: string | null;
  custom_fields_json: string | null;
  webhook_url: string | null;
  success_url: string | null;
  return_url: string | null;
  /** BCP 47 tag of the checkout's language. */
  locale: string | null;
  description: string | null;
  /** The purchased items: [{"name":"Tea","quantity":2,"amount":"7.80"}]. */
  lines_json: string | null;
  /** Confirmations requested beyond the policy, per coin: {"BTC":6}. */
  confirmations_json: string | null;
  allowed_cryptos_json: string;
  /** The offered coins, one bit each (`offeredBit` of the coin), for the filters of lists. */
  offered: Generated<number>;
  tolerance_bps: number;
  late_policy: LatePolicy;
  /** SHA-256 of the creating request, to distinguish a repeat from a different order with the same id. */
  request_hash: string;
  /** Number of events of this payment so far. */
  sequence: number;
  created_at: number;
  expires_at: number;
  updated_at: number;
  /** When every chain was read past its deadline. */
  closed_at: number | null;
  cancelled_at: number | null;
  accepted_at: number | null;
  /** The merchant's acceptance covers everything up to this position of the order. */
  accepted_position: number | null;
  refunded_at: number | null;
  refunded_position: number | null;
  /** Source of the refunded state: the merchant, or the sum of its refunds. */
  refunded_by: 'merchant' | 'refunds' | null;
  /** Atoms per coin that the merchant recorded as refunded elsewhere: {"BTC":"40000000"}. */
  returned_json: string | null;
  /** Atoms per coin that the merchant accepted: {"BTC":"40000000"}. */
  accepted_json: string | null;
  /**
   * Largest settled sum for which payment.overpaid was emitted, as a share of the price:
   * `numerator/denominator`.
   */
  excess_told: string | null;
  /**
   * The payment link that created it, set by the link's page only; null: the shop created it, or it is older
   * than this column.
   */
  link_id: string | null;
  /** The expired payment that it replaces; each has at most one successor. */
  renews: string | null;
  /**
   * The first payment of its group, in which payments renew each other. Null: none renews it, and it renews
   * none.
   */
  group_id: string | null;
  /**
   * The payment of its group that superseded it when the group received money: its own money counts there.
   */
  superseded_by: string | null;
}

/**
 * Payment counts by the columns that lists and metrics group by, in total and by UTC day (since 1970);
 * maintained by triggers.
 */
export interface PaymentCountRow {
  merchant_id: string;
  mode: Mode;
  status: PaymentStatus;
  offered: number;
  count: number;
}

export interface PaymentOptionRow {
  payment_id: string;
  coin: Coin;
  address_id: number;
  address: string;
  amount: string;
  rate: string;
  rate_sources_json: string;
  rate_at: number;
  required_confirmations: number;
  required_finality: Finality | null;
}

/** Volume of completed payments created in one UTC hour or day: see volume-totals.ts. */
export interface VolumeTotalRow {
  merchant_id: string;
  mode: Mode;
  /** An hour or a day. */
  period_ms: number;
  starts_at: number;
  /** Currency of the prices; empty for the money itself. */
  currency: string;
  /** For a price: the only coin it was paid in; empty when there are several, or none. */
  coin: Coin | '';
  /** Prices with four decimals, money in atoms. */
  sum: string;
  payments: number;
}

/** A send that refunds a payment. */
export interface RefundRow {
  send_id: string;
  payment_id: string;
  coin: Coin;
  /** Atoms of the payment's money that it uses up; with subtract_fee this includes the fee. */
  amount: string;
  created_at: number;
  /** As ordered, in the payment's currency; null where it was ordered in coins. */
  fiat_amount: string | null;
  rate: RefundRate | null;
  /** The link through which its payer claimed it. */
  link_id: string | null;
  /** Its position in the sequence of the order's money, decisions and refunds. */
  position: number;
  /** The returned share of the price: `numerator/denominator`; null: nothing of known rate. */
  value: string | null;
  /** Atoms whose rate at receipt is not known yet: their value is not in `value`. */
  unpriced: Generated<string>;
  /** Settled atoms per coin at its creation, if the order was complete then: {"BTC":"40000000"}. */
  completed_json: string | null;
  /** Whether it was complete by the merchant's acceptance, and not by the price. */
  by_acceptance: Generated<Flag>;
}
