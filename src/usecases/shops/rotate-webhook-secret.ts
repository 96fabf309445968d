import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findMerchant, updateMerchant } from '../../store/merchants/merchants.ts';
import { newWebhookSecret } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';

const OVERLAP_MS = 24 * 3600 * 1000;

/** Replaces a merchant's webhook secret; for 24 hours deliveries are signed with the old one as well. */
export async function rotateWebhookSecret(
  deps: { readonly db: Db; readonly clock: Clock; readonly secretBox: SecretBox },
  merchantId: string,
  storeResult: StoreResult<string> = storeNoResult,
): Promise<string> {
  const secret = newWebhookSecret();
  await deps.db.transaction(async (tx) => {
    const merchant = await findMerchant(tx, merchantId);
    if (merchant === undefined) throw new AppError('MERCHANT_NOT_FOUND', 'Merchant not found');
    const now = deps.clock.now();
    await updateMerchant(tx, merchantId, {
      webhookSecretSealed: deps.secretBox.seal(secret),
      webhookOldSecretSealed: merchant.webhookSecretSealed,
      webhookOldSecretUntil: now + OVERLAP_MS,
      updatedAt: now,
    });
    await storeResult(tx, secret);
  });
  return secret;
}
