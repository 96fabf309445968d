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
  /** Milliseconds; null for a key that does not expire. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly merchant: Readonly<MerchantRow>;
}

const byHash = prepared((db, param: ParamOf<{ keyHash: string }>) =>
  db
    .selectFrom('restricted_keys as key')
    .innerJoin('merchants', 'merchants.id', 'key.merchantId')
    .selectAll('merchants')
    .select(['key.id as keyId', 'key.scopes as keyScopes'])
    .select(['key.expiresAt as keyExpiresAt', 'key.lastUsedAt as keyLastUsedAt'])
    .where('key.keyHash', '=', param('keyHash')),
);

/** The restricted key with this SHA-256 and its merchant; it may have expired. */
export async function findRestrictedKey(db: Db, keyHash: string): Promise<RestrictedKeyOwner | null> {
  const [row] = await byHash(db, { keyHash });
  if (row === undefined) return null;
  const { keyId, keyScopes, keyExpiresAt: expiresAt, keyLastUsedAt, ...merchant } = row;
  return {
    keyId,
    scopes: new Set(scopesFromText(keyScopes)),
    expiresAt,
    lastUsedAt: keyLastUsedAt,
    merchant,
  };
}

/** Restricted keys of a merchant, newest first, expired ones included until they are deleted. */
export async function listRestrictedKeys(db: Db, merchantId: string): Promise<RestrictedKeyRow[]> {
  return db
    .selectFrom('restricted_keys')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function countRestrictedKeys(tx: Tx, merchantId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('restricted_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('merchantId', '=', merchantId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The user who created a key; null: unknown, or the key was deleted. */
export async function findRestrictedKeyCreator(db: Db, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('restricted_keys')
    .select(['creatorKind', 'creatorId'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.creatorKind === 'user' ? row.creatorId : null;
}

/** Deletes one key of a merchant; false when it has no such key. */
export async function deleteRestrictedKey(
  tx: Tx,
  key: { readonly merchantId: string; readonly keyId: string },
): Promise<boolean> {
  const result = await tx
    .deleteFrom('restricted_keys')
    .where('id', '=', key.keyId)
    .where('merchantId', '=', key.merchantId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes the restricted keys of a merchant; returns how many. */
export async function deleteRestrictedKeys(tx: Tx, merchantId: string): Promise<number> {
  const result = await tx
    .deleteFrom('restricted_keys')
    .where('merchantId', '=', merchantId)
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
    .set({ lastUsedAt: use.now })
    .where('id', '=', use.id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', use.before)]))
    .execute();
}

/** Deletes a key of any merchant; false when there is none. */
export async function deleteRestrictedKeyById(tx: Tx, id: string): Promise<boolean> {
  const result = await tx.deleteFrom('restricted_keys').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
