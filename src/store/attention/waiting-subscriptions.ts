import { sql } from 'kysely';
import type { InvoiceProblem } from '../../domain/subscription/types.ts';
import type { Db } from '../sqlite/database.ts';
import { WAITS, type ShopMode } from './waiting-payments.ts';

/** A subscription whose due invoice cannot be made. */
export interface UninvoicedSubscription {
  readonly id: string;
  readonly nextN: number;
  /** The price of one, decimal. */
  readonly amount: string;
  readonly quantity: number;
  readonly currency: string;
  readonly problem: InvoiceProblem;
  readonly since: number;
}

/** Subscriptions whose due invoice could not be made since before a time, longest waiting first. */
export async function uninvoicedSubscriptions(
  db: Db,
  { merchantId, mode }: ShopMode,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<UninvoicedSubscription[]> {
  return db
    .selectFrom('subscriptions')
    .select(['id', 'nextN', 'amount', 'quantity', 'currency'])
    .select(sql<InvoiceProblem>`problem`.as('problem'))
    .select(sql<number>`problem_at`.as('since'))
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('problem', 'is not', null)
    .where('problemAt', '<', before)
    .orderBy('problemAt')
    .limit(limit)
    .execute();
}

/** A subscription that was entitled before, with its oldest open invoice. */
export interface UnpaidSubscription {
  readonly id: string;
  readonly n: number;
  readonly paymentId: string;
  readonly priceMinor: string;
  readonly appliedMinor: string;
  readonly currency: string;
  /** The end of the paid time, or of the trial. */
  readonly since: number;
}

/**
 * Subscriptions that are past due and were entitled before, longest waiting first. Left out are those that never
 * began, because their visitors only opened a link, and those whose payment is confirming or waits for a decision.
 */
export async function unpaidSubscriptions(
  db: Db,
  { merchantId, mode }: ShopMode,
  limit: number,
): Promise<UnpaidSubscription[]> {
  return (
    db
      .selectFrom('subscriptions')
      .innerJoin('subscription_invoices as invoice', 'invoice.subscriptionId', 'subscriptions.id')
      .innerJoin('payments', 'payments.id', 'invoice.paymentId')
      .select(['subscriptions.id', 'invoice.n', 'invoice.priceMinor', 'invoice.appliedMinor'])
      .select('subscriptions.currency')
      .select('payments.id as paymentId')
      .select(sql<number>`coalesce(subscriptions.paid_until, subscriptions.trial_ends_at)`.as('since'))
      // As in its index, which the planner else would not prove to apply.
      .where(sql<boolean>`subscriptions.status = 'past_due'`)
      .where('subscriptions.merchantId', '=', merchantId)
      .where('subscriptions.mode', '=', mode)
      .where(sql<boolean>`coalesce(subscriptions.paid_until, subscriptions.trial_ends_at) IS NOT NULL`)
      .where(
        sql<boolean>`invoice.n = (SELECT min(n) FROM subscription_invoices AS open_one
          WHERE open_one.subscription_id = subscriptions.id AND open_one.status = 'open')`,
      )
      .where(sql<boolean>`payments.status NOT IN ('confirming', 'completed')`)
      .where(sql<boolean>`(${WAITS}) IS NOT TRUE`)
      .orderBy('since')
      .limit(limit)
      .execute()
  );
}
