import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { Finality } from '../../domain/confirmations.ts';
import type { RefundRate } from '../../domain/payment/refund-link.ts';
import type { LatePolicy, PaymentException, PaymentStatus } from '../../domain/payment/types.ts';
import type { CreatorColumns } from './creator.ts';

export interface PaymentRow extends CreatorColumns {
  id: string;
  merchantId: string;
  /** Null: anonymous. */
  customerId: string | null;
  orderId: string;
  /** The customer-facing name of the order, shown instead of its id; null: the id is shown. */
  orderLabel: string | null;
  mode: Mode;
  status: PaymentStatus;
  exception: PaymentException | null;
  amount: string;
  currency: string;
  productId: string | null;
  priceId: string | null;
  /** Clerks cannot change the price: the owner or a key set it, or it comes from the catalog. */
  priceLocked: Generated<boolean>;
  metadataJson: string | null;
  customFieldsJson: string | null;
  webhookUrl: string | null;
  successUrl: string | null;
  returnUrl: string | null;
  /** BCP 47 tag of the checkout's language. */
  locale: string | null;
  description: string | null;
  /** The purchased items: [{"name":"Tea","quantity":2,"amount":"7.80"}]. */
  linesJson: string | null;
  /** Confirmations requested beyond the policy, per coin: {"BTC":6}. */
  confirmationsJson: string | null;
  allowedCryptosJson: string;
  /** The offered coins, one bit each (`offeredBit` of the coin), for the filters of lists. */
  offered: Generated<number>;
  toleranceBps: number;
  latePolicy: LatePolicy;
  /** SHA-256 of the creating request, to distinguish a repeat from a different order with the same id. */
  requestHash: string;
  /** Number of events of this payment so far. */
  sequence: number;
  createdAt: number;
  expiresAt: number;
  updatedAt: number;
  /** When every chain was read past its deadline. */
  closedAt: number | null;
  cancelledAt: number | null;
  acceptedAt: number | null;
  /** The merchant's acceptance covers everything up to this position of the order. */
  acceptedPosition: number | null;
  refundedAt: number | null;
  refundedPosition: number | null;
  /** Source of the refunded state: the merchant, or the sum of its refunds. */
  refundedBy: 'merchant' | 'refunds' | null;
  /** Atoms per coin that the merchant recorded as refunded elsewhere: {"BTC":"40000000"}. */
  returnedJson: string | null;
  /** Money that arrived after the full refund is neither refunded nor claimed. */
  hasMoneyAfterRefund: Generated<boolean>;
  /** Atoms per coin that the merchant accepted: {"BTC":"40000000"}. */
  acceptedJson: string | null;
  /**
   * Largest settled sum for which payment.overpaid was emitted, as a share of the price:
   * `numerator/denominator`.
   */
  excessTold: string | null;
  /**
   * The payment link that created it, set by the link's page only; null: the shop created it, or it is older
   * than this column.
   */
  linkId: string | null;
  /** The counter that charged it; null: none did. */
  counterId: string | null;
  /** The part of `amount` that is a tip, a decimal string; null: none. */
  tip: string | null;
  /** The expired payment that it replaces; each has at most one successor. */
  renews: string | null;
  /**
   * The first payment of its group, in which payments renew each other. Null: none renews it, and it renews
   * none.
   */
  groupId: string | null;
  /**
   * The payment of its group that superseded it when the group received money: its own money counts there.
   */
  supersededBy: string | null;
}

/**
 * Payment counts by the columns that lists and metrics group by, in total and by UTC day (since 1970);
 * maintained by triggers.
 */
export interface PaymentCountRow {
  merchantId: string;
  mode: Mode;
  status: PaymentStatus;
  offered: number;
  count: number;
}

export interface PaymentOptionRow {
  paymentId: string;
  coin: Coin;
  addressId: number;
  address: string;
  amount: string;
  rate: string;
  rateSourcesJson: string;
  rateAt: number;
  requiredConfirmations: number;
  requiredFinality: Finality | null;
}

/** Volume of completed payments created in one UTC hour or day: see volume-totals.ts. */
export interface VolumeTotalRow {
  merchantId: string;
  mode: Mode;
  /** An hour or a day. */
  periodMs: number;
  startsAt: number;
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
  sendId: string;
  paymentId: string;
  coin: Coin;
  /** Atoms of the payment's money that it uses up; with subtract_fee this includes the fee. */
  amount: string;
  createdAt: number;
  /** As ordered, in the payment's currency; null where it was ordered in coins. */
  fiatAmount: string | null;
  rate: RefundRate | null;
  /** The link through which its payer claimed it. */
  linkId: string | null;
  /** Its position in the sequence of the order's money, decisions and refunds. */
  position: number;
  /** The returned share of the price: `numerator/denominator`; null: nothing of known rate. */
  value: string | null;
  /** Atoms whose rate at receipt is not known yet: their value is not in `value`. */
  unpriced: Generated<string>;
  /** Settled atoms per coin at its creation, if the order was complete then: {"BTC":"40000000"}. */
  completedJson: string | null;
  /** Whether it was complete by the merchant's acceptance, and not by the price. */
  byAcceptance: Generated<boolean>;
}

/** A note of the shop on a payment, which payers never see. */
export interface PaymentNoteRow extends CreatorColumns {
  paymentId: string;
  merchantId: string;
  mode: Mode;
  note: string;
  updatedAt: number;
}
