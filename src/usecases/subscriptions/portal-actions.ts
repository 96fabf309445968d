import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import { readMerchant } from '../invoices/index.ts';
import { act } from './act-on-subscription.ts';
import { findByPortalToken } from './portal-token.ts';
import { forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';

export const PORTAL_ACTIONS = ['pause', 'resume', 'cancel', 'keep'] as const;
export type PortalAction = (typeof PORTAL_ACTIONS)[number];

/**
 * What a payer does on the page of the subscription, as far as the shop allows it. A cancellation counts for the
 * end of the period where there is one. A pause or a cancellation by the shop stays.
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
  const by = 'payer';
  if (action !== 'cancel') return { type: action, by };
  return { type: 'cancel', by, atPeriodEnd: status === 'active' || status === 'trialing' };
}
