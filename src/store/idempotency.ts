import { sql } from 'kysely';
import type { Db } from './sqlite/database.ts';
import type { IdempotencyRow } from './schema/operations.ts';

/** Expired rows removed per claim: clean-up keeps pace with growth, and no claim pays for all of it. */
const PURGE_ROWS = 20;

export interface IdempotencyKey {
  readonly scope: string;
  readonly key: string;
}

/** Inserts the row unless the key exists in its scope; returns the row that now has the key. */
export async function claimIdempotencyKey(db: Db, row: IdempotencyRow): Promise<IdempotencyRow | null> {
  const inserted = await db
    .insertInto('idempotency')
    .values(row)
    .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  if (inserted !== undefined) return null;
  return db
    .selectFrom('idempotency')
    .selectAll()
    .where('scope', '=', row.scope)
    .where('key', '=', row.key)
    .executeTakeFirstOrThrow();
}

export async function finishIdempotencyKey(
  db: Db,
  { scope, key }: IdempotencyKey,
  answer: { status: number; bodySealed: string },
): Promise<void> {
  await db
    .updateTable('idempotency')
    .set({ state: 'done', status: answer.status, bodySealed: answer.bodySealed })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .execute();
}

export async function releaseIdempotencyKey(db: Db, { scope, key }: IdempotencyKey): Promise<void> {
  await db.deleteFrom('idempotency').where('scope', '=', scope).where('key', '=', key).execute();
}

/** Removes this key if it has expired, and a few other expired ones. */
export async function purgeIdempotencyKeys(
  db: Db,
  { scope, key }: IdempotencyKey,
  now: number,
): Promise<void> {
  await db
    .deleteFrom('idempotency')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('expiresAt', '<=', now)
    .execute();
  const old = await db
    .selectFrom('idempotency')
    .select(['scope', 'key'])
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(PURGE_ROWS)
    .execute();
  for (const row of old) await releaseIdempotencyKey(db, row);
}

/** Removes up to `limit` expired keys; returns how many. */
export async function deleteExpiredIdempotencyKeys(db: Db, now: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('idempotency')
    .select(sql<number>`rowid`.as('rowid'))
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit);
  const result = await db
    .deleteFrom('idempotency')
    .where(sql<number>`rowid`, 'in', old)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
