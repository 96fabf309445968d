import type { Clock } from '../../domain/ports.ts';
import type { LatePolicy } from '../../domain/payment/types.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { clearGoneMerchantUrls } from '../../store/gone-endpoints.ts';
import { updateMerchant } from '../../store/merchants.ts';
import type { MerchantRow } from '../../store/tables.ts';
import { findOwnMerchant } from './find-own-merchant.ts';

/** What is left out stays as it is; null clears. */
export interface EditMerchantInput {
  readonly userId: string;
  readonly merchantId: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly webhookUrl?: string | null | undefined;
  readonly paymentLifetimeMinutes?: number | undefined;
  readonly toleranceBps?: number | undefined;
  readonly latePolicy?: LatePolicy | undefined;
}

/** @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account. */
export async function editMerchant(
  deps: { readonly db: Db; readonly clock: Clock },
  input: EditMerchantInput,
): Promise<MerchantRow> {
  return inTransaction(deps.db, async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    // A URL that answered 410 rests until the merchant edits it, be it to the same value.
    if (input.webhookUrl !== undefined) await clearGoneMerchantUrls(tx, merchant.id);
    return updateMerchant(tx, merchant.id, {
      name: input.name ?? merchant.name,
      description: input.description === undefined ? merchant.description : input.description,
      webhook_url: input.webhookUrl === undefined ? merchant.webhook_url : input.webhookUrl,
      payment_lifetime_minutes: input.paymentLifetimeMinutes ?? merchant.payment_lifetime_minutes,
      tolerance_bps: input.toleranceBps ?? merchant.tolerance_bps,
      late_policy: input.latePolicy ?? merchant.late_policy,
      updated_at: deps.clock.now(),
    });
  });
}
