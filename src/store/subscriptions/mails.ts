import type { SubscriptionMailRow } from '../schema/subscriptions.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** Stores mails to be written; one that exists for its period stays as it is. */
export async function insertSubscriptionMails(tx: Tx, rows: readonly SubscriptionMailRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('subscription_mails')
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Subscriptions with mails to be written, the longest due first. */
export async function subscriptionsToMail(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('subscription_mails')
    .select('subscriptionId')
    .where('dueAt', 'is not', null)
    .where('dueAt', '<=', now)
    .groupBy('subscriptionId')
    .orderBy((eb) => eb.fn.min('dueAt'))
    .limit(limit)
    .execute();
  return rows.map(({ subscriptionId }) => subscriptionId);
}

/** The mails of a subscription to be written, by period. */
export async function dueSubscriptionMails(
  db: Db,
  subscriptionId: string,
  now: number,
): Promise<SubscriptionMailRow[]> {
  return db
    .selectFrom('subscription_mails')
    .selectAll()
    .where('subscriptionId', '=', subscriptionId)
    .where('dueAt', 'is not', null)
    .where('dueAt', '<=', now)
    .orderBy('n')
    .execute();
}

export async function updateSubscriptionMail(
  tx: Tx,
  { subscriptionId, n, kind, dueAt, mailed }: SubscriptionMailRow,
): Promise<void> {
  await tx
    .updateTable('subscription_mails')
    .set({ dueAt, mailed })
    .where('subscriptionId', '=', subscriptionId)
    .where('n', '=', n)
    .where('kind', '=', kind)
    .execute();
}

/** Postpones the due mails of a subscription, so that one that cannot be written holds up no other. */
export async function postponeSubscriptionMails(
  tx: Tx,
  {
    subscriptionId,
    now,
    until,
  }: { readonly subscriptionId: string; readonly now: number; readonly until: number },
): Promise<void> {
  await tx
    .updateTable('subscription_mails')
    .set({ dueAt: until })
    .where('subscriptionId', '=', subscriptionId)
    .where('dueAt', '<=', now)
    .execute();
}

/** How many subscriptions that links of a shop started since a moment were mailed about. */
export async function countMailedStarts(
  db: Db,
  { merchantId, since }: { readonly merchantId: string; readonly since: number },
): Promise<number> {
  const { total } = await db
    .selectFrom('subscriptions')
    .innerJoin('subscription_mails', 'subscription_mails.subscriptionId', 'subscriptions.id')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('subscriptions.merchantId', '=', merchantId)
    .where('subscriptions.mode', 'in', ['live', 'sandbox'])
    .where('subscriptions.createdAt', '>', since)
    .where('subscriptions.creatorKind', '=', 'link')
    .where('subscription_mails.n', '=', 0)
    .where('subscription_mails.kind', '=', 'invoice')
    .where('subscription_mails.mailed', '>', 0)
    .executeTakeFirstOrThrow();
  return total;
}
