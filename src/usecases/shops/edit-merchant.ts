import { createHash } from 'node:crypto';
import type { LogoType } from '../../domain/branding.ts';
import type { Business } from '../../domain/receipt.ts';
import type { Clock } from '../../domain/ports.ts';
import type { LatePolicy } from '../../domain/payment/types.ts';
import { changeZone } from '../../domain/send/limit-day.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { deleteLogo, upsertLogo } from '../../store/merchants/logos.ts';
import { updateMerchant } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { reconsiderSubscriptions } from '../../store/subscriptions/subscriptions.ts';
import { redirectDeliveries, refuseWebhookUrl, type WebhookUrlRule } from '../webhooks/index.ts';
import { refuseEmbedOrigins } from './embed-origins.ts';
import { findOwnMerchant } from '../access/index.ts';

export interface EditMerchantDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly webhookUrlRule: WebhookUrlRule;
  /** Called after the commit of a new webhookUrl: pending deliveries are sent there at once. */
  readonly wakeWebhooks: () => void;
}

/** A validated image. */
export interface Logo {
  readonly type: LogoType;
  readonly bytes: Buffer;
}

/** Omitted fields stay unchanged; null clears a field. */
export interface EditMerchantInput {
  readonly userId: string;
  readonly merchantId: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly webhookUrl?: string | null | undefined;
  readonly paymentLifetimeMinutes?: number | undefined;
  readonly toleranceBps?: number | undefined;
  readonly latePolicy?: LatePolicy | undefined;
  /** The whole list: normalised origins. */
  readonly embedOrigins?: readonly string[] | undefined;
  readonly currency?: string | undefined;
  readonly timeZone?: string | null | undefined;
  readonly supportContact?: string | null | undefined;
  readonly business?: Business | null | undefined;
  readonly receiptPrefix?: string | undefined;
  /** `#rrggbb` in lower case. */
  readonly accentColor?: string | null | undefined;
  readonly logo?: Logo | null | undefined;
  readonly renewExpired?: boolean | undefined;
  readonly invoiceLeadDays?: number | undefined;
  readonly graceDays?: number | undefined;
  readonly excessToCredit?: boolean | undefined;
  readonly payerMayAskExcess?: boolean | undefined;
  readonly payerMayPause?: boolean | undefined;
  readonly payerMayCancel?: boolean | undefined;
  readonly mailsSubscribers?: boolean | undefined;
}

/** @throws {AppError} MERCHANT_NOT_FOUND, also for a merchant of another account; VALIDATION_INVALID (webhookUrl, embedOrigins). */
export async function editMerchant(deps: EditMerchantDeps, input: EditMerchantInput): Promise<MerchantRow> {
  const { webhookUrl, embedOrigins } = input;
  const row = await deps.db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, input.userId, input.merchantId);
    refuseWebhookUrl(deps.webhookUrlRule, webhookUrl ?? null);
    refuseEmbedOrigins(deps.webhookUrlRule, embedOrigins ?? []);
    const now = deps.clock.now();
    if (webhookUrl !== undefined) await redirectDeliveries(tx, { merchantId: merchant.id, webhookUrl, now });
    if (input.invoiceLeadDays !== undefined) await reconsiderSubscriptions(tx, merchant.id, now);
    const timeZone = input.timeZone === undefined ? merchant.timeZone : input.timeZone;
    return updateMerchant(tx, merchant.id, {
      name: input.name ?? merchant.name,
      description: input.description === undefined ? merchant.description : input.description,
      webhookUrl: webhookUrl === undefined ? merchant.webhookUrl : webhookUrl,
      paymentLifetimeMinutes: input.paymentLifetimeMinutes ?? merchant.paymentLifetimeMinutes,
      toleranceBps: input.toleranceBps ?? merchant.toleranceBps,
      latePolicy: input.latePolicy ?? merchant.latePolicy,
      embedOriginsJson: embedOrigins === undefined ? merchant.embedOriginsJson : JSON.stringify(embedOrigins),
      currency: input.currency ?? merchant.currency,
      timeZone,
      ...changeZone(merchant, timeZone, now),
      supportContact: input.supportContact === undefined ? merchant.supportContact : input.supportContact,
      ...receiptSettings(merchant, input),
      accentColor: input.accentColor === undefined ? merchant.accentColor : input.accentColor,
      logoHash: await keepLogo(tx, merchant, input.logo),
      renewExpired: input.renewExpired ?? merchant.renewExpired,
      payerMayAskExcess: input.payerMayAskExcess ?? merchant.payerMayAskExcess,
      ...subscriptionSettings(merchant, input),
      updatedAt: now,
    });
  });
  if (webhookUrl !== undefined) deps.wakeWebhooks();
  return row;
}

/** For receipts issued from now on: those of earlier payments keep their seller. */
function receiptSettings({ businessJson, receiptPrefix }: MerchantRow, input: EditMerchantInput) {
  const { business } = input;
  return {
    businessJson: business === undefined ? businessJson : business === null ? null : JSON.stringify(business),
    receiptPrefix: input.receiptPrefix ?? receiptPrefix,
  };
}

function subscriptionSettings(merchant: MerchantRow, input: EditMerchantInput) {
  return {
    invoiceLeadDays: input.invoiceLeadDays ?? merchant.invoiceLeadDays,
    graceDays: input.graceDays ?? merchant.graceDays,
    excessToCredit: input.excessToCredit ?? merchant.excessToCredit,
    payerMayPause: input.payerMayPause ?? merchant.payerMayPause,
    payerMayCancel: input.payerMayCancel ?? merchant.payerMayCancel,
    mailsSubscribers: input.mailsSubscribers ?? merchant.mailsSubscribers,
  };
}

/** @returns the new hash of the merchant's logo */
async function keepLogo(
  tx: Tx,
  merchant: MerchantRow,
  logo: EditMerchantInput['logo'],
): Promise<string | null> {
  if (logo === undefined) return merchant.logoHash;
  if (logo === null) {
    await deleteLogo(tx, merchant.id);
    return null;
  }
  const hash = createHash('sha256').update(logo.bytes).digest('base64url');
  await upsertLogo(tx, { merchantId: merchant.id, hash, ...logo });
  return hash;
}
