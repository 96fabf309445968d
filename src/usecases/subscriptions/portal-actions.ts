import { isPlausibleEmail } from '../../domain/email.ts';
import { invalidField } from '../../domain/errors.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import { loadState, readMerchant, saveSubscription } from '../invoices/index.ts';
import { act } from './act-on-subscription.ts';
import { findByPortalToken } from './portal-token.ts';
import { forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';

export const PORTAL_ACTIONS = ['pause', 'resume', 'cancel', 'keep'] as const;
export type PortalAction = (typeof PORTAL_ACTIONS)[number];

/**
 * What a payer does on the page of the subscription, as far as the shop allows it. A cancellation counts for the
 * end of the period where there is one.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, INVALID_STATE
 */
export async function actInPortal(
  deps: SubscriptionDeps,
  token: string,
  action: PortalAction,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const row = await findByPortalToken(tx, token);
    const { payerMayPause, payerMayCancel } = await readMerchant(tx, row.merchantId);
    const isAllowed = action === 'pause' || action === 'resume' ? payerMayPause : payerMayCancel;
    if (!isAllowed) throw forbiddenBy(row);
    await act(tx, deps, row, toFact(row, action));
  });
  deps.wakeWebhooks();
}

function toFact({ status }: SubscriptionRow, action: PortalAction): Parameters<typeof act>[3] {
  if (action !== 'cancel') return { type: action };
  return { type: 'cancel', atPeriodEnd: status === 'active' || status === 'trialing' };
}

/**
 * The payer’s choice where mails about this subscription go. The customer of the shop keeps the address, because a
 * leaked link must not give its reader the identity of another customer.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, INVALID_STATE, VALIDATION_INVALID (email)
 */
export async function changePortalEmail(deps: SubscriptionDeps, token: string, email: string): Promise<void> {
  if (!isPlausibleEmail(email)) throw invalidField('email', 'is not an e-mail address');
  await deps.db.transaction(async (tx) => {
    const row = await findByPortalToken(tx, token);
    if (row.status === 'cancelled' || row.status === 'ended') throw forbiddenBy(row);
    const state = await loadState(tx, row);
    await saveSubscription(tx, deps, { ...row, email }, { state, events: ['subscription.updated'] });
  });
  deps.wakeWebhooks();
}
