import { invalidField } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findOwnMerchant } from './find-own-merchant.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { addRestrictedKey, type CreatedRestrictedKey, type NewRestrictedKey } from './restricted-key.ts';

/**
 * Creates a key of a merchant that may do only what its scopes permit.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account; VALIDATION_INVALID for an
 * expiry in the past; INVALID_STATE when the merchant has too many keys.
 */
export async function createRestrictedKey(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { userId, ...key }: Omit<NewRestrictedKey, 'creator'> & { readonly userId: string },
  storeResult: StoreResult<CreatedRestrictedKey> = storeNoResult,
): Promise<CreatedRestrictedKey> {
  const now = clock.now();
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw invalidField('expiresAt', 'must be in the future');
  return db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, userId, key.merchantId);
    const made = await addRestrictedKey(
      tx,
      { ...key, merchantId: merchant.id, creator: { kind: 'user', id: userId } },
      now,
    );
    await storeResult(tx, made);
    return made;
  });
}
