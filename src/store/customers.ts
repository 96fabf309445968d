import { sql } from 'kysely';
import type { Db, Tx } from './database.ts';
import { isUniqueViolation } from './dialect.ts';
import { prepared, type SlotOf } from './prepared.ts';
import type { CustomerRow } from './tables.ts';

/** Inserts a customer; false when the user has one with this e-mail address (by `email_key`). */
export async function insertCustomer(tx: Tx, row: CustomerRow): Promise<boolean> {
  try {
    await tx.insertInto('customers').values(row).execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** A customer of this user; one of another user is not found. */
export async function findCustomerOf(db: Db, userId: string, id: string): Promise<CustomerRow | undefined> {
  return (await ofUser(db, { userId, id }))[0];
}

const ofUser = prepared((db, slot: SlotOf<{ userId: string; id: string }>) =>
  db.selectFrom('customers').selectAll().where('id', '=', slot('id')).where('user_id', '=', slot('userId')),
);

/** Changes a customer; null when the new e-mail address is another customer's. */
export async function updateCustomer(
  tx: Tx,
  id: string,
  changes: Partial<Pick<CustomerRow, 'email' | 'email_key' | 'metadata_json'>> & { updated_at: number },
): Promise<CustomerRow | null> {
  try {
    return await tx
      .updateTable('customers')
      .set(changes)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    if (isUniqueViolation(error)) return null;
    throw error;
  }
}

/** From the count that triggers keep. */
async function countedCustomers(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('customer_counts')
    .select('count')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.count ?? 0;
}

export interface CustomerPage {
  readonly rows: CustomerRow[];
  readonly total: number;
}

/** One page of a user's customers, newest first; `search` is a literal part of the address in its key form. */
export async function listCustomers(
  db: Db,
  filter: { userId: string; search: string; page: number; limit: number },
): Promise<CustomerPage> {
  const pattern = `%${filter.search.replace(/[\\%_]/g, (char) => `\\${char}`)}%`;
  let matching = db.selectFrom('customers').where('user_id', '=', filter.userId);
  if (filter.search !== '') matching = matching.where(sql<boolean>`email_key LIKE ${pattern} ESCAPE '\\'`);
  const rows = await matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .offset((filter.page - 1) * filter.limit)
    .execute();
  if (filter.search === '') return { rows, total: await countedCustomers(db, filter.userId) };
  const count = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: count.total };
}
