import { formatFiat } from '../../domain/fiat.ts';
import type { ShopMode } from '../../store/attention/waiting-payments.ts';
import { unpaidSubscriptions, uninvoicedSubscriptions } from '../../store/attention/waiting-subscriptions.ts';
import { invoiceOrderId, periodPrice } from '../invoices/index.ts';
import type { AttentionDeps } from './attention-deps.ts';
import type { WaitingItem } from './attention-item.ts';

/** How long a problem, such as a missing rate, may take before a person has to know. */
const HELD_MS = 3_600_000;
const MAX_ITEMS = 100;

/** Subscriptions that wait for their shop: without the invoice that is due, or unpaid although they once began. */
export async function subscriptionItems(
  { db, clock }: Pick<AttentionDeps, 'db' | 'clock'>,
  shop: ShopMode,
): Promise<WaitingItem[]> {
  const range = { before: clock.now() - HELD_MS, limit: MAX_ITEMS };
  const uninvoiced = await uninvoicedSubscriptions(db, shop, range);
  const unpaid = await unpaidSubscriptions(db, shop, MAX_ITEMS);
  return [
    ...uninvoiced.map((one): WaitingItem => ({
      id: one.id,
      kind: 'invoice_problem',
      since: one.since,
      mark: `${one.problem} ${one.nextN}`,
      subject: { subscriptionId: one.id },
      amount: formatFiat({ minor: periodPrice(one), currency: one.currency }),
      currency: one.currency,
      problem: one.problem,
    })),
    ...unpaid.map((one): WaitingItem => {
      const minor = BigInt(one.priceMinor) - BigInt(one.appliedMinor);
      return {
        id: one.id,
        kind: 'subscription_past_due',
        since: one.since,
        mark: `unpaid ${one.n}`,
        subject: {
          subscriptionId: one.id,
          paymentId: one.paymentId,
          order: invoiceOrderId({ subscriptionId: one.id, n: one.n }),
        },
        amount: formatFiat({ minor, currency: one.currency }),
        currency: one.currency,
      };
    }),
  ];
}
