import type { Mode } from '../../domain/coins.ts';
import type { SubscriptionStatus } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../schema/subscriptions.ts';
import type { Db, Tx } from '../sqlite/database.ts';

export async function insertSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  await tx.insertInto('subscriptions').values(row).execute();
}

export async function findSubscription(db: Db, id: string): Promise<SubscriptionRow | undefined> {
  return db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findSubscriptionByToken(
  db: Db,
  portalTokenHash: string,
): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('portalTokenHash', '=', portalTokenHash)
    .executeTakeFirst();
}

/** The subscription that a link started for a customer at this price and that was never paid; undefined: none. */
export async function findUnpaidOfLink(
  db: Db,
  {
    merchantId,
    mode,
    customerId,
    priceId,
    amount,
    currency,
    interval,
  }: Pick<
    SubscriptionRow,
    'merchantId' | 'mode' | 'customerId' | 'priceId' | 'amount' | 'currency' | 'interval'
  >,
): Promise<SubscriptionRow | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('customerId', '=', customerId)
    .where('merchantId', '=', merchantId)
    .where('mode', '=', mode)
    .where('priceId', '=', priceId)
    .where('amount', '=', amount)
    .where('currency', '=', currency)
    .where('interval', '=', interval)
    .where('creatorKind', '=', 'link')
    .where('status', '=', 'past_due')
    .where('paidUntil', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('subscription_invoices')
          .select('n')
          .whereRef('subscriptionId', '=', 'subscriptions.id')
          .where('status', '=', 'open')
          .where('paymentId', 'is not', null),
      ),
    )
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

type Fixed = 'id' | 'merchantId' | 'mode' | 'customerId' | 'createdAt';

export async function updateSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  const { id, merchantId: _m, mode: _o, customerId: _c, createdAt: _a, ...changed } = row;
  await tx
    .updateTable('subscriptions')
    .set(changed satisfies Omit<SubscriptionRow, Fixed>)
    .where('id', '=', id)
    .execute();
}

/** Postpones a subscription whose decision failed or changed nothing, so that others are not held up by it. */
export async function postponeDecision(tx: Tx, id: string, until: number | null): Promise<void> {
  await tx.updateTable('subscriptions').set({ nextDecisionAt: until }).where('id', '=', id).execute();
}

/** Makes the subscriptions of a shop due for the scheduler job at once, because its settings have changed. */
export async function reconsiderSubscriptions(tx: Tx, merchantId: string, now: number): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ nextDecisionAt: now })
    .where('merchantId', '=', merchantId)
    .where('nextDecisionAt', 'is not', null)
    .execute();
}

/** Subscriptions that time changes now, the most overdue first. */
export async function subscriptionsDue(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('id')
    .where('nextDecisionAt', 'is not', null)
    .where('nextDecisionAt', '<=', now)
    .orderBy('nextDecisionAt')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export interface SubscriptionFilter {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly status?: SubscriptionStatus | undefined;
  readonly customerId?: string | undefined;
  readonly productId?: string | undefined;
}

/** One page of a shop's subscriptions, newest first, with the exact total. */
export async function listSubscriptions(
  db: Db,
  { merchantId, mode, status, customerId, productId }: SubscriptionFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ rows: SubscriptionRow[]; total: number }> {
  let query = db.selectFrom('subscriptions').where('merchantId', '=', merchantId).where('mode', '=', mode);
  if (status !== undefined) query = query.where('status', '=', status);
  if (customerId !== undefined) query = query.where('customerId', '=', customerId);
  if (productId !== undefined) query = query.where('productId', '=', productId);
  const rows = await query
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const counted = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: counted.total };
}
