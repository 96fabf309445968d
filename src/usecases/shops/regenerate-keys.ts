import type { Clock } from '../../domain/ports.ts';
import { deleteKeys, insertApiKeys, retireCurrentKeys } from '../../store/merchants/api-keys.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findOwnMerchant, newApiKeys } from '../access/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';

export interface RegeneratedKeys {
  readonly public: string;
  readonly secret: string;
  /** When the old keys expire, ms; null when they already have. */
  readonly gracePeriodEndsAt: number | null;
}

/**
 * Replaces both keys of a merchant. The old ones remain valid for the grace period; without one, every older
 * key is revoked at once, including those in an earlier grace period.
 * @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account.
 */
export async function regenerateKeys(
  deps: { readonly db: Db; readonly clock: Clock },
  input: { readonly userId: string; readonly merchantId: string; readonly gracePeriodSeconds: number },
  storeResult: StoreResult<RegeneratedKeys> = storeNoResult,
): Promise<RegeneratedKeys> {
  return deps.db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    const now = deps.clock.now();
    const until = input.gracePeriodSeconds > 0 ? now + input.gracePeriodSeconds * 1000 : null;
    if (until === null) await deleteKeys(tx, merchant.id);
    else await retireCurrentKeys(tx, merchant.id, until);
    const keys = newApiKeys(merchant.id, now);
    await insertApiKeys(tx, keys.rows);
    const made = { public: keys.public, secret: keys.secret, gracePeriodEndsAt: until };
    await storeResult(tx, made);
    return made;
  });
}
