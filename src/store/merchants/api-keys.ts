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
  readonly key: Pick<ApiKeyRow, 'id' | 'kind' | 'expires_at' | 'last_used_at'>;
  readonly merchant: Readonly<MerchantRow>;
}

const byHash = prepared((db, param: ParamOf<{ keyHash: string }>) =>
  db
    .selectFrom('api_keys as key')
    .innerJoin('merchants', 'merchants.id', 'key.merchant_id')
    .selectAll('merchants')
    .select(['key.id as key_id', 'key.kind as key_kind'])
    .select(['key.expires_at as key_expires_at', 'key.last_used_at as key_last_used_at'])
    .where('key.key_hash', '=', param('keyHash')),
);

/** The valid key with this SHA-256 and its merchant; a key past its grace period is not found. */
export async function findValidKey(db: Db, keyHash: string, now: number): Promise<KeyOwner | null> {
  const [row] = await byHash(db, { keyHash });
  if (row === undefined) return null;
  const { key_id: id, key_kind: kind, key_expires_at, key_last_used_at, ...merchant } = row;
  if (key_expires_at !== null && key_expires_at <= now) return null;
  return { key: { id, kind, expires_at: key_expires_at, last_used_at: key_last_used_at }, merchant };
}

/** Valid keys of a merchant, newest first. */
export async function listValidKeys(db: Db, merchantId: string, now: number): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The current public key. */
export async function currentPublicKey(db: Db, merchantId: string): Promise<string | null> {
  const row = await db
    .selectFrom('api_keys')
    .select('public_value')
    .where('merchant_id', '=', merchantId)
    .where('kind', '=', 'public')
    .where('expires_at', 'is', null)
    .executeTakeFirst();
  return row?.public_value ?? null;
}

/** Sets the expiry of a merchant's current keys; keys already in their grace period keep theirs. */
export async function retireCurrentKeys(tx: Tx, merchantId: string, until: number): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ expires_at: until })
    .where('merchant_id', '=', merchantId)
    .where('expires_at', 'is', null)
    .execute();
}

/** Revokes the public and secret keys of a merchant at once, grace periods included; returns how many. */
export async function deleteKeys(tx: Tx, merchantId: string): Promise<number> {
  const result = await tx.deleteFrom('api_keys').where('merchant_id', '=', merchantId).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Records a use, unless one since `before` is already recorded. */
export async function touchKey(db: Db, use: { id: string; now: number; before: number }): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: use.now })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', use.before)]))
    .execute();
}

/** Revokes one key. @returns its merchant; null when there is no such key. */
export async function deleteKeyById(tx: Tx, id: string): Promise<string | null> {
  const row = await tx
    .deleteFrom('api_keys')
    .where('id', '=', id)
    .returning('merchant_id')
    .executeTakeFirst();
  return row?.merchant_id ?? null;
}

/** Sets the expiry of a key, unless it expires before. @returns its merchant; null when nothing changed. */
export async function retireKey(tx: Tx, id: string, until: number): Promise<string | null> {
  const row = await tx
    .updateTable('api_keys')
    .set({ expires_at: until })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', until)]))
    .returning('merchant_id')
    .executeTakeFirst();
  return row?.merchant_id ?? null;
}
