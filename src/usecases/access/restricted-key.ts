import type { Creator } from '../../domain/actor.ts';
import { AppError } from '../../domain/errors.ts';
import { scopesToText, type Scope } from '../../domain/scopes.ts';
import { countRestrictedKeys, insertRestrictedKey } from '../../store/merchants/restricted-keys.ts';
import { creatorColumns } from '../../store/creators.ts';
import type { RestrictedKeyRow } from '../../store/schema/merchants.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { SpendingLimits } from '../../domain/send/spending-limits.ts';
import { keyLimitsToJson } from '../../store/sends/wallet-limits.ts';
import { keyHash, KEY_LENGTH, PREFIX_LENGTH } from './api-key.ts';
import { newId, randomBase62 } from '../events/index.ts';

/** Keys per merchant, expired ones included; bounds the database. */
const KEYS_MAX = 100;

export interface NewRestrictedKey {
  readonly merchantId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Milliseconds; null for a key that does not expire. */
  readonly expiresAt: number | null;
  /** Of what it sends without an approval; absent: those of the shop alone. */
  readonly limits?: SpendingLimits | undefined;
  /** Null where it is unknown. */
  readonly creator: Creator | null;
}

export interface CreatedRestrictedKey {
  readonly row: RestrictedKeyRow;
  /** The key itself: not stored, and never shown again. */
  readonly value: string;
}

/** Creates a restricted key. @throws {AppError} INVALID_STATE when the merchant has too many. */
export async function addRestrictedKey(
  tx: Tx,
  key: NewRestrictedKey,
  now: number,
): Promise<CreatedRestrictedKey> {
  await assertRoomForKey(tx, key.merchantId);
  const value = `rk_${randomBase62(KEY_LENGTH)}`;
  const row: RestrictedKeyRow = {
    id: newId('key_'),
    merchantId: key.merchantId,
    name: key.name,
    scopes: scopesToText(key.scopes),
    keyHash: keyHash(value),
    prefix: value.slice(0, PREFIX_LENGTH),
    lastFour: value.slice(-4),
    createdAt: now,
    expiresAt: key.expiresAt,
    lastUsedAt: null,
    limitsJson: key.limits === undefined ? null : keyLimitsToJson(key.limits),
    ...creatorColumns(key.creator),
  };
  await insertRestrictedKey(tx, row);
  return { row, value };
}

/** @throws {AppError} INVALID_STATE when the merchant has as many restricted keys as it may. */
export async function assertRoomForKey(tx: Tx, merchantId: string): Promise<void> {
  if ((await countRestrictedKeys(tx, merchantId)) < KEYS_MAX) return;
  throw new AppError('INVALID_STATE', `The shop has ${KEYS_MAX} restricted keys: delete one first`);
}
