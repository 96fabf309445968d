import { followsUnpaidTime } from '../../domain/subscription/subscription-machine.ts';
import { periodStart } from '../../domain/subscription/periods.ts';
import type { SubscriptionState } from '../../domain/subscription/types.ts';
import { openInvoices } from '../../store/subscriptions/invoices.ts';
import { loadState } from '../invoices/index.ts';
import { createInvoice } from './create-invoice.ts';
import { findByPortalToken } from './portal-token.ts';
import { forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';

const LATEST_YEARS = 2;

/**
 * Whether the invoice of the next period can be made before its time: at most two years before the period, and not
 * before it begins where the time until then is not paid.
 */
export function mayPayAhead(state: SubscriptionState, now: number): boolean {
  const { status, cancelAtPeriodEnd, schedule, nextN } = state;
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + LATEST_YEARS);
  const isRunning = status === 'trialing' || status === 'active' || status === 'past_due';
  const start = periodStart(schedule, nextN);
  if (followsUnpaidTime(state) && now < start) return false;
  return isRunning && !cancelAtPeriodEnd && start <= latest.getTime();
}

/**
 * The payment of the open invoice, or of the next one, which is made now. A repeated request returns the same one.
 * @returns null where credit covers the invoice
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, INVALID_STATE, RATE_UNAVAILABLE, COIN_UNAVAILABLE
 */
export async function payAhead(deps: SubscriptionDeps, token: string): Promise<string | null> {
  const { currency } = await findByPortalToken(deps.db, token);
  await deps.rates.ensure(currency);
  const paymentId = await deps.db.transaction(async (tx) => {
    const row = await findByPortalToken(tx, token);
    const [open] = await openInvoices(tx, row.id);
    if (open !== undefined) return open.paymentId;
    if (!mayPayAhead(await loadState(tx, row), deps.clock.now())) throw forbiddenBy(row);
    await createInvoice(tx, deps, row);
    const [made] = await openInvoices(tx, row.id);
    return made?.paymentId ?? null;
  });
  deps.wakeWebhooks();
  return paymentId;
}
