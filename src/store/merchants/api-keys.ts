import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';
import type { ApiKeyRow, MerchantRow } from '../schema/merchants.ts';

export async function insertApiKeys(tx: Tx, rows: readonly ApiKeyRow[]): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values([...rows])
    .execute();
}

export interface KeyOwner {
  readonly key: Pick<ApiKeyRow, 'id' | 'kind' | 'expiresAt' | 'lastUsedAt'>;
  readonly merchant: Readonly<MerchantRow>;
}

const byHash = prepared((db, param: ParamOf<{ keyHash: string }>) =>
  db
    .selectFrom('api_keys as key')
    .innerJoin('merchants', 'merchants.id', 'key.merchantId')
    .selectAll('merchants')
    .select(['key.id as keyId', 'key.kind as keyKind'])
    .select(['key.expiresAt as keyExpiresAt', 'key.lastUsedAt as keyLastUsedAt'])
    .where('key.keyHash', '=', param('keyHash')),
);

/** The key with this SHA-256 and its merchant; it may have expired. */
export async function findKey(db: Db, keyHash: string): Promise<KeyOwner | null> {
  const [row] = await byHash(db, { keyHash });
  if (row === undefined) return null;
  const { keyId: id, keyKind: kind, keyExpiresAt, keyLastUsedAt, ...merchant } = row;
  return { key: { id, kind, expiresAt: keyExpiresAt, lastUsedAt: keyLastUsedAt }, merchant };
}

/** Valid keys of a merchant, newest first. */
export async function listValidKeys(db: Db, merchantId: string, now: number): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The current public key. */
export async function currentPublicKey(db: Db, merchantId: string): Promise<string | null> {
  const row = await db
    .selectFrom('api_keys')
    .select('publicValue')
    .where('merchantId', '=', merchantId)
    .where('kind', '=', 'public')
    .where('expiresAt', 'is', null)
    .executeTakeFirst();
  return row?.publicValue ?? null;
}

/** Sets the expiry of a merchant's current keys; keys already in their grace period keep theirs. */
export async function retireCurrentKeys(tx: Tx, merchantId: string, until: number): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ expiresAt: until })
    .where('merchantId', '=', merchantId)
    .where('expiresAt', 'is', null)
    .execute();
}

/** Revokes the public and secret keys of a merchant at once, grace periods included; returns how many. */
export async function deleteKeys(tx: Tx, merchantId: string): Promise<number> {
  const result = await tx.deleteFrom('api_keys').where('merchantId', '=', merchantId).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Records a use, unless one since `before` is already recorded. */
export async function touchKey(db: Db, use: { id: string; now: number; before: number }): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ lastUsedAt: use.now })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', use.before)]))
    .execute();
}

/** Revokes one key. @returns its merchant; null when there is no such key. */
export async function deleteKeyById(tx: Tx, id: string): Promise<string | null> {
  const row = await tx.deleteFrom('api_keys').where('id', '=', id).returning('merchantId').executeTakeFirst();
  return row?.merchantId ?? null;
}

/** Sets the expiry of a key, unless it expires before. @returns its merchant; null when nothing changed. */
export async function retireKey(tx: Tx, id: string, until: number): Promise<string | null> {
  const row = await tx
    .updateTable('api_keys')
    .set({ expiresAt: until })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', until)]))
    .returning('merchantId')
    .executeTakeFirst();
  return row?.merchantId ?? null;
}
