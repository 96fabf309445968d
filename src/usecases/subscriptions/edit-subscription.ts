import { invalidField } from '../../domain/errors.ts';
import { decide } from '../../domain/subscription/subscription-machine.ts';
import { periodStart } from '../../domain/subscription/periods.ts';
import type { Decision } from '../../domain/subscription/types.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findUserPrice } from '../../store/catalog/prices.ts';
import { loadState, periodPrice, saveSubscription } from '../invoices/index.ts';
import { findRecurringPrice } from './create-subscription.ts';
import { assertPayable } from './create-invoice.ts';
import { proratePeriods } from './prorate-periods.ts';
import { reviseInvoices } from './revise-invoice.ts';
import { findOwnSubscription, forbiddenBy, type SubscriptionDeps } from './subscription-deps.ts';

/** Omitted fields stay unchanged. */
export interface EditSubscriptionInput {
  readonly merchant: MerchantRow;
  readonly subscriptionId: string;
  readonly priceId?: string | undefined;
  readonly quantity?: number | undefined;
  readonly metadata?: object | undefined;
  readonly cancelAtPeriodEnd?: boolean | undefined;
  /** Where its mails go; null: to the customer. */
  readonly email?: string | null | undefined;
}

/**
 * Another price or quantity counts from now on: for the rest of paid periods by proration, and for an open invoice
 * without money. One for which money was seen keeps its price; the difference counts once it is paid. The calendar does
 * not move; another interval begins with the next period, and paid periods of the former one keep their own price.
 * @throws {AppError} SUBSCRIPTION_NOT_FOUND, PRICE_NOT_FOUND, PRODUCT_NOT_FOUND, INVALID_STATE,
 * RATE_UNAVAILABLE, COIN_UNAVAILABLE, VALIDATION_INVALID (priceId)
 */
export async function editSubscription(
  deps: SubscriptionDeps,
  input: EditSubscriptionInput,
): Promise<SubscriptionRow> {
  const { merchant, subscriptionId, priceId } = input;
  const known = priceId === undefined ? undefined : await findUserPrice(deps.db, merchant.userId, priceId);
  if (known !== undefined) await deps.rates.ensure(known.currency);
  const after = await deps.db.transaction(async (tx) => {
    const row = await findOwnSubscription(tx, merchant.id, subscriptionId);
    if (row.status === 'ended' || row.status === 'cancelled') throw forbiddenBy(row);
    const metadataJson = input.metadata === undefined ? row.metadataJson : JSON.stringify(input.metadata);
    const email = input.email === undefined ? row.email : input.email;
    const priced = await changePrice(tx, deps, { ...row, metadataJson, email }, input);
    return saveSubscription(tx, deps, priced, await decideEdit(tx, deps, priced, input));
  });
  deps.wakeWebhooks();
  return after;
}

async function decideEdit(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  { cancelAtPeriodEnd }: EditSubscriptionInput,
): Promise<Decision> {
  const state = await loadState(tx, row);
  const unchanged: Decision = { state, events: ['subscription.updated'] };
  if (cancelAtPeriodEnd === undefined || cancelAtPeriodEnd === row.cancelAtPeriodEnd) return unchanged;
  const isAllowed = row.status === 'active' || row.status === 'trialing';
  const fact = cancelAtPeriodEnd
    ? ({ type: 'cancel', by: 'merchant', atPeriodEnd: true } as const)
    : ({ type: 'keep', by: 'merchant' } as const);
  const decision = isAllowed ? decide(state, fact, deps.clock.now()) : null;
  if (decision === null) throw forbiddenBy(row);
  return decision;
}

async function changePrice(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
  { merchant, priceId = row.priceId, quantity = row.quantity }: EditSubscriptionInput,
): Promise<SubscriptionRow> {
  if (priceId === row.priceId && quantity === row.quantity) return row;
  const chosen = priceId === row.priceId ? null : await findRecurringPrice(tx, merchant, priceId);
  const { currency } = row;
  if (chosen !== null && chosen.price.currency !== currency) {
    throw invalidField('priceId', `must be in ${currency}, the currency of the subscription`);
  }
  const price = chosen?.price ?? row;
  const { amount, productId } = price;
  const changed: SubscriptionRow = { ...row, priceId, productId, amount, quantity };
  assertPayable(deps, changed);
  const newPrice = periodPrice(changed);
  const interval = chosen?.interval ?? row.interval;
  const prorated = await proratePeriods(tx, deps, changed, { interval, price: newPrice });
  const next =
    interval === row.interval
      ? prorated
      : {
          ...prorated,
          interval,
          anchorAt: periodStart(prorated, prorated.nextN),
          anchorN: prorated.nextN,
        };
  return reviseInvoices(tx, deps, next, (invoice) =>
    invoice.interval === interval ? newPrice : invoice.price,
  );
}
