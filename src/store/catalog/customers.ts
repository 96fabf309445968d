import { sql, type SelectQueryBuilder } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import { isUniqueViolation } from '../sqlite/errors.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { CustomerRow } from '../schema/catalog.ts';
import type { Tables } from '../schema/tables.ts';

/** Inserts a customer; false when the user already has one with this email address (by `email_key`). */
export async function insertCustomer(tx: Tx, row: CustomerRow): Promise<boolean> {
  try {
    await tx.insertInto('customers').values(row).execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** A customer of this user; customers of other users are not found. */
export async function findUserCustomer(db: Db, userId: string, id: string): Promise<CustomerRow | undefined> {
  return (await ofUser(db, { userId, id }))[0];
}

const ofUser = prepared((db, param: ParamOf<{ userId: string; id: string }>) =>
  db.selectFrom('customers').selectAll().where('id', '=', param('id')).where('userId', '=', param('userId')),
);

/** @param key an address in its key form */
export async function findCustomerByEmail(
  db: Db,
  userId: string,
  key: string,
): Promise<CustomerRow | undefined> {
  return (await byEmail(db, { userId, key }))[0];
}

const byEmail = prepared((db, param: ParamOf<{ userId: string; key: string }>) =>
  db
    .selectFrom('customers')
    .selectAll()
    .where('userId', '=', param('userId'))
    .where('emailKey', '=', param('key')),
);

/** Changes a customer; null when the new email address belongs to another customer. */
export async function updateCustomer(
  tx: Tx,
  id: string,
  changes: Partial<Pick<CustomerRow, 'email' | 'emailKey' | 'metadataJson'>> & { updatedAt: number },
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

/** From the count maintained by triggers. */
async function countedCustomers(db: Db, userId: string): Promise<number> {
  const row = await db
    .selectFrom('customer_counts')
    .select('count')
    .where('userId', '=', userId)
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
  /** At most a page of them; undefined for all customers. */
  readonly ids?: readonly string[] | undefined;
  readonly page: number;
  readonly limit: number;
}

/** Up to this many matches are counted by listing their ids; more take a second index scan. */
const MAX_NAMED = 500;

/** One page of a user's customers, newest first. */
export async function listCustomers(db: Db, filter: CustomerFilter): Promise<CustomerPage> {
  const { userId, search, ids: wanted, page, limit } = filter;
  const customers = db.selectFrom('customers');
  // Looked up by id, with the owner only compared: as a plain column it would read all of the owner's
  // customers.
  const ofUser =
    wanted === undefined
      ? customers.where('userId', '=', userId)
      : customers.where('id', 'in', wanted).where(sql`+user_id`, '=', userId);
  if (search === '' && wanted === undefined)
    return { rows: await readPage(ofUser, filter), total: await countedCustomers(db, userId) };
  const matching = search === '' ? ofUser : ofUser.where(sql<boolean>`instr(email_key, ${search}) > 0`);
  // Covered by the index, which contains the address.
  const named = await newestFirst(matching.select('id'))
    .limit(MAX_NAMED + 1)
    .execute();
  const ids = named.slice((page - 1) * limit, page * limit).map(({ id }) => id);
  if (named.length <= MAX_NAMED) return { rows: await listByIds(db, ids), total: named.length };
  const count = await matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const isNamed = page * limit <= named.length;
  return { rows: await (isNamed ? listByIds(db, ids) : readPage(matching, filter)), total: count.total };
}

/** The customers with these ids, a page of them, newest first. */
async function listByIds(db: Db, ids: readonly string[]): Promise<CustomerRow[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('customers').selectAll().where('id', 'in', ids).execute();
  return rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

async function readPage(
  customers: SelectQueryBuilder<Tables, 'customers', object>,
  { page, limit }: Pick<CustomerFilter, 'page' | 'limit'>,
): Promise<CustomerRow[]> {
  return newestFirst(customers.selectAll())
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
}

function newestFirst<O>(
  customers: SelectQueryBuilder<Tables, 'customers', O>,
): SelectQueryBuilder<Tables, 'customers', O> {
  return customers.orderBy('createdAt', 'desc').orderBy('id', 'desc');
}
