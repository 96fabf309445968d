import type { RecurringInterval } from '../../domain/catalog.ts';
import type { Mode } from '../../domain/coins.ts';
import type { SubscriptionMailKind } from '../../domain/subscription/mails.ts';
import type {
  InvoiceProblem,
  InvoiceStatus,
  SubscriptionActor,
  SubscriptionStatus,
} from '../../domain/subscription/types.ts';
import type { CreatorColumns } from './creator.ts';

export interface SubscriptionRow extends CreatorColumns {
  id: string;
  merchantId: string;
  mode: Mode;
  customerId: string;
  productId: string;
  priceId: string;
  /** The price of one, as of its creation or last edit: a decimal string in the currency. */
  amount: string;
  currency: string;
  quantity: number;
  /** Minor units: positive is credit, negative a debt that the next invoice asks for. */
  balanceMinor: string;
  status: SubscriptionStatus;
  startsAt: number;
  trialEndsAt: number | null;
  /** The schedule; see domain/subscription/periods. */
  anchorAt: number;
  anchorN: number;
  interval: RecurringInterval;
  timeZone: string;
  nextN: number;
  paidUntil: number | null;
  hasGrace: boolean;
  graceDays: number;
  cancelAtPeriodEnd: boolean;
  /** Null: not cancelled, or cancelled before this was stored. As for a pause. */
  cancelledBy: SubscriptionActor | null;
  pausedAt: number | null;
  pausedBy: SubscriptionActor | null;
  trialEndingSent: boolean;
  endedAt: number | null;
  /** When the scheduler has to decide about it; null: time changes nothing. */
  nextDecisionAt: number | null;
  /** Why the invoice that is due cannot be made, and since when; null: none is due, or nothing is known. */
  problem: InvoiceProblem | null;
  problemAt: number | null;
  metadataJson: string | null;
  /** SHA-256 of the token of the payer's page, and the token sealed; null: it has no page. */
  portalTokenHash: string | null;
  portalTokenSealed: string | null;
  /** Where its mails go, as the payer chose; null: to the customer's address. */
  email: string | null;
  /** Language of the payer's pages and mails; null: that of the browser. */
  locale: string | null;
  successUrl: string | null;
  returnUrl: string | null;
  /** Coin[]; all that the shop accepts if empty. */
  allowedCryptosJson: string;
  /** Number of its events. */
  sequence: number;
  createdAt: number;
  updatedAt: number;
}

/** The invoice of one period; unique by subscription and number. Amounts are minor units. */
export interface SubscriptionInvoiceRow {
  subscriptionId: string;
  n: number;
  periodStart: number;
  periodEnd: number;
  priceMinor: string;
  /** Balance of the subscription that it uses up: positive is credit, negative a debt that it asks for. */
  appliedMinor: string;
  currency: string;
  status: InvoiceStatus;
  /** The newest payment of its order; null where credit covers it. */
  paymentId: string | null;
  /** What its money has added to the balance of the subscription so far. */
  creditedMinor: string;
  /** Of its price; null: it is from before proration and keeps its price. */
  interval: RecurringInterval | null;
  /** What the whole period would cost at the present price. */
  rateMinor: string;
  /** By how much changes of the price made the period cheaper, in billionths of the minor unit; negative: dearer. */
  prorationExact: string;
  /** What of that is in the balance of the subscription. */
  proratedMinor: string;
  /** Time of the period in which the subscription was paused. */
  pausedMs: number;
  payBy: number;
  createdAt: number;
  /** Kept when its money is refunded or reversed. */
  paidAt: number | null;
}

/** A mail to the payer; unique by subscription, period and kind, so that no restart repeats it. */
export interface SubscriptionMailRow {
  subscriptionId: string;
  /** The period that it is about. */
  n: number;
  kind: SubscriptionMailKind;
  /** When it is written, if it still applies then; null: done. */
  dueAt: number | null;
  /** Number of mails that were written for it. */
  mailed: number;
  createdAt: number;
}
