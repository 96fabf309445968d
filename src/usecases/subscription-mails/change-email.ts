import { isPlausibleEmail, maskedEmail, normalizedMailbox } from '../../domain/email.ts';
import { invalidField } from '../../domain/errors.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { loadState, readMerchant, saveSubscription } from '../invoices/index.ts';
import { queueMail } from '../mail/index.ts';
import {
  findByPortalToken,
  forbiddenBy,
  portalUrl,
  readPayerView,
  type SubscriptionDeps,
} from '../subscriptions/index.ts';
import { isStartedByStranger } from './mail-facts.ts';
import {
  findMailbox,
  LIFETIME_MS,
  mailLanguage,
  type WriteSubscriptionMail,
} from './queue-subscription-mails.ts';

export interface ChangeEmailDeps extends SubscriptionDeps {
  /** Whether this server can send mails. */
  readonly hasMailServer: boolean;
}

/**
 * The payer’s choice where mails about this subscription go. The customer of the shop keeps the address, because a
 * leaked link must not give its reader the identity of another customer. The address that got the mails before is
 * notified, because another person may have the link.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, INVALID_STATE, VALIDATION_INVALID (email)
 */
export async function changePortalEmail(
  deps: ChangeEmailDeps,
  { token, email }: { readonly token: string; readonly email: string },
  write: WriteSubscriptionMail,
): Promise<void> {
  if (!isPlausibleEmail(email)) throw invalidField('email', 'is not an e-mail address');
  await deps.db.transaction(async (tx) => {
    const row = await findByPortalToken(tx, token);
    if (row.status === 'cancelled' || row.status === 'ended') throw forbiddenBy(row);
    const state = await loadState(tx, row);
    const decision = { state, events: ['subscription.updated'] } as const;
    const saved = await saveSubscription(tx, deps, { ...row, email }, decision);
    await mailFormerAddress(tx, deps, { before: row, after: saved, email }, write);
  });
  deps.wakeWebhooks();
}

async function mailFormerAddress(
  tx: Tx,
  deps: ChangeEmailDeps,
  {
    before,
    after,
    email,
  }: { readonly before: SubscriptionRow; readonly after: SubscriptionRow; readonly email: string },
  write: WriteSubscriptionMail,
): Promise<void> {
  const merchant = await readMerchant(tx, before.merchantId);
  const page = portalUrl(deps, after);
  // An address that a stranger entered on a payment link gets one mail only.
  if (!deps.hasMailServer || !merchant.mailsSubscribers || page === null || isStartedByStranger(before))
    return;
  const to = await findMailbox(tx, deps, merchant, before);
  if (to === null || normalizedMailbox(to.email) === normalizedMailbox(email)) return;
  const now = deps.clock.now();
  const view = await readPayerView({ ...deps, db: tx }, after);
  const facts = {
    view: { ...view, email: maskedEmail(email) },
    isNeverPaid: after.paidUntil === null,
    now,
    page,
  };
  await queueMail(tx, deps, {
    id: `${after.id}/${after.nextN}/email/${after.sequence}`,
    userId: to.userId,
    to: to.email,
    kind: to.kind,
    text: write({ ...facts, kinds: ['email_changed'], language: mailLanguage(after) }),
    expiresAt: now + LIFETIME_MS,
  });
}
