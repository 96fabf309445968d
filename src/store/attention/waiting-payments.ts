import { sql, type SelectQueryBuilder } from 'kysely';
import type { Mode } from '../../domain/coins.ts';
import type { PaymentException, PaymentStatus } from '../../domain/payment/types.ts';
import type { Tables } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

/** A payment that waits for a decision of its shop. */
export interface WaitingPayment {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly exception: PaymentException | null;
  readonly hasMoneyAfterRefund: boolean;
  readonly updatedAt: number;
  /** Number of its events: another event is another state. */
  readonly sequence: number;
}

export interface ShopMode {
  readonly merchantId: string;
  readonly mode: Mode;
}

/**
 * The condition of the index payments_waiting, written as there, so that the planner can prove that it applies. The
 * same payments as those of paymentAttention: without an exception the comparison is neither true nor false.
 */
export const WAITS = sql<boolean>`(payments.has_money_after_refund = 1 OR (payments.status NOT IN ('confirming', 'refunded')
  AND (payments.exception IN ('overpaid', 'multiple')) = (payments.status = 'completed')))`;

const IS_REVERSED = sql<boolean>`(payments.exception IS 'reversed' AND payments.has_money_after_refund = 0)`;

/**
 * An excess, or money after a refund, whose payer has a link to claim it waits for the payer. A request of the payer
 * that is open again is no link that the payer has.
 */
const WAITS_FOR_PAYER = sql<boolean>`(payments.exception IN ('overpaid', 'multiple')
  OR payments.has_money_after_refund = 1) AND EXISTS (
  SELECT 1 FROM refund_links WHERE refund_links.payment_id = payments.id AND refund_links.status = 'open'
    AND refund_links.requested_by = 'merchant')`;

/** An excess that became credit of its subscription was given to the payer already. */
const IS_CREDITED = sql<boolean>`payments.exception IN ('overpaid', 'multiple')
  AND payments.has_money_after_refund = 0 AND EXISTS (
  SELECT 1 FROM subscription_invoices AS invoice
  WHERE invoice.payment_id = payments.id AND invoice.credited_minor <> '0')`;

const IS_DISMISSED = sql<boolean>`EXISTS (SELECT 1 FROM attention_dismissals AS gone
  WHERE gone.merchant_id = payments.merchant_id AND gone.item_id = payments.id
    AND gone.mark = CAST(payments.sequence AS TEXT))`;

type Payments = SelectQueryBuilder<Tables, 'payments', object>;

function waiting(db: Db, { merchantId, mode }: ShopMode): Payments {
  return db
    .selectFrom('payments')
    .where('payments.merchantId', '=', merchantId)
    .where('payments.mode', '=', mode)
    .where(WAITS)
    .where(sql<boolean>`NOT (${WAITS_FOR_PAYER})`)
    .where(sql<boolean>`NOT (${IS_CREDITED})`);
}

function columns(query: Payments) {
  return query
    .select(['payments.id', 'payments.status', 'payments.exception', 'payments.hasMoneyAfterRefund'])
    .select(['payments.updatedAt', 'payments.sequence']);
}

/** Those that wait and are not dismissed: reversed money first, then the last changed. */
export async function listWaitingPayments(
  db: Db,
  shop: ShopMode,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
): Promise<WaitingPayment[]> {
  return columns(waiting(db, shop).where(sql<boolean>`NOT ${IS_DISMISSED}`))
    .orderBy(IS_REVERSED, 'desc')
    .orderBy('payments.updatedAt', 'desc')
    .orderBy('payments.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** How many wait and are not dismissed. */
export async function countWaitingPayments(db: Db, shop: ShopMode): Promise<number> {
  const { count } = await waiting(db, shop)
    .where(sql<boolean>`NOT ${IS_DISMISSED}`)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** A payment that waits, dismissed or not. */
export async function findWaitingPayment(
  db: Db,
  shop: ShopMode,
  id: string,
): Promise<WaitingPayment | undefined> {
  return columns(waiting(db, shop).where('payments.id', '=', id)).executeTakeFirst();
}
