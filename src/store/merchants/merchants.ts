import type { Db, Tx } from '../sqlite/database.ts';
import { isUniqueViolation } from '../sqlite/errors.ts';
import { readMeta, writeMeta } from '../meta.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { MerchantRow } from '../schema/merchants.ts';

const FIRST_ACCOUNT = 'merchants.first_account';

/** The next account number of the wallet tree: 0 for the first merchant. Account numbers are never reused. */
export async function nextAccount(tx: Tx): Promise<number> {
  const row = await tx
    .selectFrom('merchants')
    .select((eb) => eb.fn.max('account').as('last'))
    .executeTakeFirst();
  const last: number | null = row?.last ?? null;
  return Math.max(last === null ? 0 : last + 1, Number((await readMeta(tx, FIRST_ACCOUNT)) ?? 0));
}

/** Skips the next account numbers: merchants missing in this database may have had them. */
export async function skipAccounts(tx: Tx, count: number): Promise<void> {
  await writeMeta(tx, FIRST_ACCOUNT, String((await nextAccount(tx)) + count));
}

/** Skips the account numbers below a number, which merchants missing in this database had. */
export async function skipAccountsBelow(tx: Tx, first: number): Promise<void> {
  await writeMeta(tx, FIRST_ACCOUNT, String(Math.max(await nextAccount(tx), first)));
}

/** Every merchant, by account. */
export async function allMerchants(db: Db): Promise<MerchantRow[]> {
  return db.selectFrom('merchants').selectAll().orderBy('account').execute();
}

/** Whether a merchant of any account has this domain (normalised). */
export async function domainExists(db: Db, domain: string): Promise<boolean> {
  const row = await db.selectFrom('merchants').select('id').where('domain', '=', domain).executeTakeFirst();
  return row !== undefined;
}

/** Inserts a merchant; false when its domain is taken. */
export async function insertMerchant(tx: Tx, row: MerchantRow): Promise<boolean> {
  try {
    await tx.insertInto('merchants').values(row).execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error) && (await domainExists(tx, row.domain))) return false;
    throw error;
  }
}

export async function findMerchant(db: Db, id: string): Promise<MerchantRow | undefined> {
  return (await byId(db, { id }))[0];
}

const byId = prepared((db, param: ParamOf<{ id: string }>) =>
  db.selectFrom('merchants').selectAll().where('id', '=', param('id')),
);

/** The merchant's webhook URL. @throws when there is no such merchant. */
export async function getWebhookUrl(db: Db, id: string): Promise<string | null> {
  const [row] = await webhookUrl(db, { id });
  if (row === undefined) throw new Error(`merchant ${id} does not exist`);
  return row.webhookUrl;
}

const webhookUrl = prepared((db, param: ParamOf<{ id: string }>) =>
  db.selectFrom('merchants').select('webhookUrl').where('id', '=', param('id')),
);

/** All merchants of a user, newest first. */
export async function listMerchants(db: Db, userId: string): Promise<MerchantRow[]> {
  return db
    .selectFrom('merchants')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function updateMerchant(
  db: Db,
  id: string,
  changes: Partial<Omit<MerchantRow, 'id' | 'userId' | 'account'>> & { updatedAt: number },
): Promise<MerchantRow> {
  return db
    .updateTable('merchants')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Suspends every merchant that is not suspended yet. */
export async function suspendAllMerchants(tx: Tx, now: number): Promise<void> {
  await tx.updateTable('merchants').set({ suspendedAt: now }).where('suspendedAt', 'is', null).execute();
}

/** Transfers a merchant to another user. */
export async function transferMerchant(tx: Tx, id: string, userId: string, now: number): Promise<void> {
  await tx.updateTable('merchants').set({ userId, updatedAt: now }).where('id', '=', id).execute();
}
