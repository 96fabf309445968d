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
  /** What people call the order, shown instead of its id; null: the id is shown. */
  order_label: string | null;
  mode: Mode;
  status: PaymentStatus;
  exception: PaymentException | null;
  amount: string;
  currency: string;
  product_id: string | null;
  price_id: string | null;
  /** No clerk changes the price: the owner or a key set it, or it is of the catalog. */
  price_locked: Generated<Flag>;
  metadata_json: string | null;
  custom_fields_json: string | null;
  webhook_url: string | null;
  success_url: string | null;
  return_url: string | null;
  /** BCP 47 tag of the language that the checkout is shown in. */
  locale: string | null;
  description: string | null;
  /** What is paid for: [{"name":"Tea","quantity":2,"amount":"7.80"}]. */
  lines_json: string | null;
  /** Confirmations asked for beyond the policy, per coin: {"BTC":6}. */
  confirmations_json: string | null;
  allowed_cryptos_json: string;
  /** The coins it is offered in, one bit each (COIN_BITS of payments.ts): what lists filter by. */
  offered: Generated<number>;
  tolerance_bps: number;
  late_policy: LatePolicy;
  /** SHA-256 of the creating request, to tell a repeat from a different order with the same id. */
  request_hash: string;
  /** Number of events told about this payment so far. */
  sequence: number;
  created_at: number;
  expires_at: number;
  updated_at: number;
  /** When every chain was read past its deadline. */
  closed_at: number | null;
  cancelled_at: number | null;
  accepted_at: number | null;
  /** All that was there when the merchant accepted has at most this place in the order. */
  accepted_position: number | null;
  refunded_at: number | null;
  refunded_position: number | null;
  /** Source of the refunded state: the merchant, or the sum of its refunds. */
  refunded_by: 'merchant' | 'refunds' | null;
  /** Atoms per coin that the merchant recorded as refunded elsewhere: {"BTC":"40000000"}. */
  returned_json: string | null;
  /** Atoms per coin that the merchant accepted: {"BTC":"40000000"}. */
  accepted_json: string | null;
  /** Largest settled sum that payment.overpaid was emitted for, as a share of the price: `numerator/denominator`. */
  excess_told: string | null;
  /** The payment link it came by, set by the link's page alone; null: the shop made it, or it is older than this column. */
  link_id: string | null;
  /** The expired payment that it takes the place of; each has one such at most. */
  renews: string | null;
  /** The first payment of its group: those that renew each other. Null: none renews it, and it renews none. */
  group_id: string | null;
  /** The payment of its group that took its place when the group got money: its own money counts there. */
  superseded_by: string | null;
}

/** Payment counts by the columns that lists and metrics group by, in total and by UTC day (since 1970); kept by triggers. */
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
  /** Of the prices; empty for the money itself. */
  currency: string;
  /** Of a price: the only coin it was paid in; empty when there are several, or none. */
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
  /** Atoms of the payment's money that it uses up; with subtract_fee the fee is among them. */
  amount: string;
  created_at: number;
  /** As ordered, in the payment's currency; null where it was ordered in coins. */
  fiat_amount: string | null;
  rate: RefundRate | null;
  /** The link by which its payer claimed it. */
  link_id: string | null;
  /** Its place among the money, decisions and refunds of the order. */
  position: number;
  /** What it gave back, as a share of the price: `numerator/denominator`; null: nothing of known rate. */
  value: string | null;
  /** Atoms whose rate at receipt is not known yet: their value is not in `value`. */
  unpriced: Generated<string>;
  /** Settled atoms per coin when it was made, if the order was complete then: {"BTC":"40000000"}. */
  completed_json: string | null;
  /** Whether it was complete by the merchant's acceptance, and not by the price. */
  by_acceptance: Generated<Flag>;
}
