import { invalidField } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { SpendingLimits } from '../../domain/send/spending-limits.ts';
import { findOwnMerchant } from './find-own-merchant.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { readLimit } from './read-limit.ts';
import { addRestrictedKey, type CreatedRestrictedKey, type NewRestrictedKey } from './restricted-key.ts';

interface NewKeyInput extends Omit<NewRestrictedKey, 'creator' | 'limits'> {
  readonly userId: string;
  /** In their currency, or that of the shop. */
  readonly limits?: KeyLimitsInput | undefined;
}

interface KeyLimitsInput {
  readonly currency?: string | undefined;
  readonly perSend?: string | null | undefined;
  readonly perDay?: string | null | undefined;
}

function readLimits(
  limits: KeyLimitsInput | undefined,
  shop: { readonly currency: string },
): SpendingLimits | undefined {
  if (limits === undefined) return undefined;
  const currency = limits.currency ?? shop.currency;
  return {
    perSend: readLimit('limits.perSend', limits.perSend, currency) ?? null,
    perDay: readLimit('limits.perDay', limits.perDay, currency) ?? null,
  };
}

/**
 * Creates a key of a merchant that may do only what its scopes permit.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account; VALIDATION_INVALID for an
 * expiry in the past; INVALID_STATE when the merchant has too many keys.
 */
export async function createRestrictedKey(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { userId, limits, ...key }: NewKeyInput,
  storeResult: StoreResult<CreatedRestrictedKey> = storeNoResult,
): Promise<CreatedRestrictedKey> {
  const now = clock.now();
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw invalidField('expiresAt', 'must be in the future');
  return db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, userId, key.merchantId);
    const made = await addRestrictedKey(
      tx,
      {
        ...key,
        limits: readLimits(limits, merchant),
        merchantId: merchant.id,
        creator: { kind: 'user', id: userId },
      },
      now,
    );
    await storeResult(tx, made);
    return made;
  });
}
