import { sql, type SelectQueryBuilder } from 'kysely';
import { CustomerSheets } from './customer-sheets.ts';
import type { Db, Tx } from './database.ts';
import { isUniqueViolation } from './sqlite-errors.ts';
import { prepared, type SlotOf } from './prepared.ts';
import type { CustomerRow, Tables } from './tables.ts';

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

interface CustomerFilter {
  readonly userId: string;
  /** A literal part of the address in its key form; empty for all customers. */
  readonly search: string;
  readonly page: number;
  readonly limit: number;
}

/** Customers found that are looked up and sorted; of more, a page by age is found sooner. */
const MAX_SORTED = 100;

const sheets = new WeakMap<Db, CustomerSheets>();

/** One page of a user's customers, newest first. */
export async function listCustomers(db: Db, filter: CustomerFilter): Promise<CustomerPage> {
  const { userId, search, page, limit } = filter;
  const own = db.selectFrom('customers').where('user_id', '=', userId);
  if (search === '') return { rows: await pageOf(own, filter), total: await countedCustomers(db, userId) };
  let kept = sheets.get(db);
  if (kept === undefined) sheets.set(db, (kept = new CustomerSheets()));
  const wanted = { userId, part: search, offset: (page - 1) * limit, limit };
  const found = await kept.find(db, wanted);
  if (found === null) return customersLike(db, filter);
  return { rows: await customersAt(db, userId, found.keys), total: found.total };
}

/**
 * The customers with these addresses, at most a few hundred, newest first. Sorted here: told to sort,
 * SQLite goes through all customers by age until it has met them.
 */
async function customersAt(db: Db, userId: string, keys: readonly string[]): Promise<CustomerRow[]> {
  if (keys.length === 0) return [];
  const found = await db
    .selectFrom('customers')
    .selectAll()
    .where('user_id', '=', userId)
    .where('email_key', 'in', keys)
    .execute();
  return found.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
}

/** The same page, found by the database alone. */
export async function customersLike(db: Db, filter: CustomerFilter): Promise<CustomerPage> {
  const { userId, search, page, limit } = filter;
  const own = db.selectFrom('customers').where('user_id', '=', userId);
  const pattern = `%${search.replace(/[\\%_]/g, (char) => `\\${char}`)}%`;
  const matching = own.where(sql<boolean>`email_key LIKE ${pattern} ESCAPE '\\'`);
  // In the order of the addresses: their index is gone through, not the customers.
  const found = await matching
    .select('email_key')
    .orderBy('email_key')
    .limit(MAX_SORTED + 1)
    .execute();
  if (found.length === 0) return { rows: [], total: 0 };
  if (found.length <= MAX_SORTED) {
    const keys = found.map((row) => row.email_key);
    const rows = await customersAt(db, userId, keys);
    return { rows: rows.slice((page - 1) * limit, page * limit), total: found.length };
  }
  const count = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows: await pageOf(matching, filter), total: count.total };
}

async function pageOf(
  customers: SelectQueryBuilder<Tables, 'customers', object>,
  { page, limit }: Pick<CustomerFilter, 'page' | 'limit'>,
): Promise<CustomerRow[]> {
  return customers
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
}
