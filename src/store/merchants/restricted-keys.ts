import { scopesFromText, type Scope } from '../../domain/scopes.ts';
import type { MerchantRow, RestrictedKeyRow } from '../schema/merchants.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { prepared, type ParamOf } from '../sqlite/prepared.ts';

export async function insertRestrictedKey(tx: Tx, row: RestrictedKeyRow): Promise<void> {
  await tx.insertInto('restricted_keys').values(row).execute();
}

export interface RestrictedKeyOwner {
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly lastUsedAt: number | null;
  readonly merchant: Readonly<MerchantRow>;
}

const byHash = prepared((db, param: ParamOf<{ keyHash: string }>) =>
  db
    .selectFrom('restricted_keys as key')
    .innerJoin('merchants', 'merchants.id', 'key.merchant_id')
    .selectAll('merchants')
    .select(['key.id as key_id', 'key.scopes as key_scopes'])
    .select(['key.expires_at as key_expires_at', 'key.last_used_at as key_last_used_at'])
    .where('key.key_hash', '=', param('keyHash')),
);

/** The valid restricted key with this SHA-256 and its merchant; an expired one is not found. */
export async function findRestrictedKey(
  db: Db,
  keyHash: string,
  now: number,
): Promise<RestrictedKeyOwner | null> {
  const [row] = await byHash(db, { keyHash });
  if (row === undefined) return null;
  const { key_id: keyId, key_scopes, key_expires_at: expiresAt, key_last_used_at, ...merchant } = row;
  if (expiresAt !== null && expiresAt <= now) return null;
  return { keyId, scopes: new Set(scopesFromText(key_scopes)), lastUsedAt: key_last_used_at, merchant };
}

/** Restricted keys of a merchant, newest first, expired ones included until they are deleted. */
export async function listRestrictedKeys(db: Db, merchantId: string): Promise<RestrictedKeyRow[]> {
  return db
    .selectFrom('restricted_keys')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function countRestrictedKeys(tx: Tx, merchantId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('restricted_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('merchant_id', '=', merchantId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes one key of a merchant; false when it has no such key. */
export async function deleteRestrictedKey(
  tx: Tx,
  key: { readonly merchantId: string; readonly keyId: string },
): Promise<boolean> {
  const result = await tx
    .deleteFrom('restricted_keys')
    .where('id', '=', key.keyId)
    .where('merchant_id', '=', key.merchantId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes the restricted keys of a merchant; returns how many. */
export async function deleteRestrictedKeys(tx: Tx, merchantId: string): Promise<number> {
  const result = await tx
    .deleteFrom('restricted_keys')
    .where('merchant_id', '=', merchantId)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Records a use, unless one since `before` is already recorded. */
export async function touchRestrictedKey(
  db: Db,
  use: { readonly id: string; readonly now: number; readonly before: number },
): Promise<void> {
  await db
    .updateTable('restricted_keys')
    .set({ last_used_at: use.now })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', use.before)]))
    .execute();
}

/** Deletes a key of any merchant; false when there is none. */
export async function deleteRestrictedKeyById(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('restricted_keys').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
