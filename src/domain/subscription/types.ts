import type { Coverage } from './coverage.ts';
import type { Schedule } from './periods.ts';

/**
 * `trialing`: before its first period. `past_due`: a period has begun unpaid. `cancelled`: ends once the paid
 * periods are over.
 */
export const SUBSCRIPTION_STATUSES = [
  'trialing',
  'active',
  'past_due',
  'paused',
  'cancelled',
  'ended',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const SUBSCRIPTION_EVENT_TYPES = [
  'subscription.created',
  'subscription.invoiced',
  'subscription.renewed',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'subscription.ended',
  'subscription.trial_ending',
  'subscription.updated',
] as const;
export type SubscriptionEventType = (typeof SUBSCRIPTION_EVENT_TYPES)[number];

/** `void`: closed without payment, or its money was refunded as a whole. */
export const INVOICE_STATUSES = ['open', 'paid', 'void'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/**
 * Why an invoice that is due cannot be made: no exchange rate; none of its coins runs on this server; its price is
 * too small or too large for every coin.
 */
export const INVOICE_PROBLEMS = [
  'rate_unavailable',
  'coin_unavailable',
  'price_not_payable',
  'other',
] as const;
export type InvoiceProblem = (typeof INVOICE_PROBLEMS)[number];

/** The shop, or the payer on the page of the subscription. The payer undoes only what the payer did. */
export const SUBSCRIPTION_ACTORS = ['merchant', 'payer'] as const;
export type SubscriptionActor = (typeof SUBSCRIPTION_ACTORS)[number];

/** State of the subscription machine. It decides only on this state and the fact. Times in ms. */
export interface SubscriptionState extends Coverage {
  readonly status: SubscriptionStatus;
  /** Start of the trial, or of the first period without one. */
  readonly startsAt: number;
  readonly trialEndsAt: number | null;
  readonly schedule: Schedule;
  /** Number of the next invoice. */
  readonly nextN: number;
  /** False after the last paid period was refunded, until the next one is paid. */
  readonly hasGrace: boolean;
  /** Calendar days for which an unpaid subscription stays entitled. */
  readonly graceDays: number;
  /** When the subscription ends unless its oldest open invoice is paid; null: none is open. */
  readonly openPayBy: number | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Null: not cancelled, or not known. As for a pause. */
  readonly cancelledBy: SubscriptionActor | null;
  readonly pausedAt: number | null;
  readonly pausedBy: SubscriptionActor | null;
  readonly trialEndingSent: boolean;
  /** The end of the entitlement; null until it has ended. */
  readonly endedAt: number | null;
}

export type SubscriptionFact =
  /** @param isUndecided whether money for the open invoice may still be on its way */
  | { readonly type: 'clock'; readonly isUndecided: boolean }
  | { readonly type: 'invoiced'; readonly payBy: number; readonly graceDays: number }
  /** An invoice was paid, lost its money or was refunded: what all invoices are now. */
  | ({
      readonly type: 'settled';
      readonly change: 'paid' | 'reversed' | 'refunded';
      readonly openPayBy: number | null;
    } & Coverage)
  | { readonly type: 'pause'; readonly by: SubscriptionActor }
  | { readonly type: 'resume'; readonly by: SubscriptionActor }
  | { readonly type: 'cancel'; readonly by: SubscriptionActor; readonly atPeriodEnd: boolean }
  /** The cancellation at the end of the period is undone. */
  | { readonly type: 'keep'; readonly by: SubscriptionActor };

export interface Decision {
  readonly state: SubscriptionState;
  readonly events: readonly SubscriptionEventType[];
}
