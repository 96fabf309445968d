import type { Actor } from '../../domain/actor.ts';
import type { Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { assertMaySetUrls } from '../../domain/origin.ts';
import { nextInvoiceAt } from '../../domain/subscription/subscription-machine.ts';
import { addCalendarDays } from '../../domain/subscription/periods.ts';
import { creatorColumns } from '../../store/creators.ts';
import type { PriceRow, ProductRow } from '../../store/schema/catalog.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findUnpaidOfLink, insertSubscription } from '../../store/subscriptions/subscriptions.ts';
import { findUserPrice } from '../../store/catalog/prices.ts';
import { merchantMode } from '../access/index.ts';
import { findOwnPrice, findOwnProduct, recordSale } from '../catalog/index.ts';
import { findOrCreatePayer, type Payer } from '../customers/index.ts';
import { newTimedId } from '../events/index.ts';
import { loadState, saveSubscription } from '../invoices/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { assertPayable, createInvoice } from './create-invoice.ts';
import { newPortalToken } from './portal-token.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

export interface CreateSubscriptionInput {
  readonly merchant: MerchantRow;
  readonly actor: Actor;
  readonly payer: Payer;
  readonly priceId: string;
  readonly quantity: number;
  readonly trialDays: number;
  /** Null: now. */
  readonly startAt: number | null;
  readonly metadata: object | null;
  /** Language of the payer; null: that of the browser. */
  readonly locale: string | null;
  readonly successUrl: string | null;
  readonly returnUrl: string | null;
  /** Empty: every coin that the shop accepts. */
  readonly allowedCryptos: readonly Coin[];
  /** Whether the same payer and price return a subscription that a link started and that was never paid. */
  readonly reusesUnpaid?: boolean;
}

const LATEST_START_YEARS = 2;

/**
 * Starts a subscription to a recurring price, with its first invoice where that is due already.
 * @throws {AppError} CUSTOMER_NOT_FOUND, PRICE_NOT_FOUND, PRODUCT_NOT_FOUND, RATE_UNAVAILABLE,
 * COIN_UNAVAILABLE, VALIDATION_INVALID (priceId, startAt, customer), FORBIDDEN for fields that a clerk may not
 * set
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  input: CreateSubscriptionInput,
  storeResult: StoreResult<SubscriptionRow> = storeNoResult,
): Promise<SubscriptionRow> {
  const { merchant, actor, payer, priceId } = input;
  assertMaySetUrls(
    actor,
    (['successUrl', 'returnUrl'] as const).filter((field) => input[field] !== null),
  );
  const known = await findUserPrice(deps.db, merchant.userId, priceId);
  if (known !== undefined) await deps.rates.ensure(known.currency);
  const made = await deps.db.transaction(async (tx) => {
    const { price, interval } = await findRecurringPrice(tx, merchant, priceId);
    await recordSale(tx, { productId: price.productId, merchantId: merchant.id, actor });
    const customerId = await findOrCreatePayer(tx, deps, merchant.userId, payer);
    if (customerId === null) throw invalidField('customer.email', 'is required', 'required');
    const { amount, currency } = price;
    const shop = { merchantId: merchant.id, mode: merchantMode(merchant) };
    const same = { ...shop, customerId, priceId, amount, currency, interval };
    const unpaid = input.reusesUnpaid === true ? await findUnpaidOfLink(tx, same) : undefined;
    if (unpaid !== undefined) return unpaid;
    const row = {
      ...newRow(deps.clock.now(), input, { price, interval, customerId }),
      ...newPortalToken(deps),
    };
    assertPayable(deps, row);
    await insertSubscription(tx, row);
    const state = await loadState(tx, row);
    const created = await saveSubscription(tx, deps, row, { state, events: ['subscription.created'] });
    const invoiceAt = nextInvoiceAt(state, merchant.invoiceLeadDays);
    const isDue = invoiceAt !== null && invoiceAt <= deps.clock.now();
    const started = isDue ? await createInvoice(tx, deps, created) : created;
    await storeResult(tx, started);
    return started;
  });
  deps.wakeWebhooks();
  return made;
}

type Interval = NonNullable<ProductRow['recurringInterval']>;

/**
 * A price that can be subscribed to.
 * @throws {AppError} PRICE_NOT_FOUND, PRODUCT_NOT_FOUND, VALIDATION_INVALID (priceId)
 */
export async function findRecurringPrice(
  db: Db | Tx,
  { userId }: Pick<MerchantRow, 'userId'>,
  priceId: string,
): Promise<{ readonly price: PriceRow; readonly interval: Interval }> {
  const price = await findOwnPrice(db, userId, priceId);
  if (!price.active) throw new AppError('PRICE_NOT_FOUND', 'The price is not active');
  const product = await findOwnProduct(db, userId, price.productId);
  if (!product.active) throw new AppError('PRODUCT_NOT_FOUND', 'The product is not active');
  if (product.recurringInterval === null) throw invalidField('priceId', 'is not of a recurring product');
  return { price, interval: product.recurringInterval };
}

const toSecond = (at: number): number => Math.floor(at / 1000) * 1000;

function findStart(now: number, startAt: number | null): number {
  if (startAt === null) return toSecond(now);
  if (toSecond(startAt) < toSecond(now))
    throw invalidField('startAt', 'must not be in the past', 'too_small');
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + LATEST_START_YEARS);
  if (startAt <= latest.getTime()) return toSecond(startAt);
  throw invalidField('startAt', `must be at most ${LATEST_START_YEARS} years ahead`, 'too_big');
}

function newRow(
  now: number,
  input: CreateSubscriptionInput,
  {
    price,
    interval,
    customerId,
  }: { readonly price: PriceRow; readonly interval: Interval; readonly customerId: string },
): SubscriptionRow {
  const { merchant } = input;
  const timeZone = merchant.timeZone ?? 'UTC';
  const startsAt = findStart(now, input.startAt);
  const trialEndsAt = input.trialDays === 0 ? null : addCalendarDays(timeZone, startsAt, input.trialDays);
  const anchorAt = trialEndsAt ?? startsAt;
  return {
    id: newTimedId('sub_', now),
    merchantId: merchant.id,
    mode: merchantMode(merchant),
    customerId,
    productId: price.productId,
    priceId: price.id,
    amount: price.amount,
    currency: price.currency,
    quantity: input.quantity,
    balanceMinor: '0',
    status: anchorAt <= now ? 'past_due' : 'trialing',
    startsAt,
    trialEndsAt,
    anchorAt,
    anchorN: 0,
    interval,
    timeZone,
    nextN: 0,
    paidUntil: null,
    hasGrace: true,
    graceDays: merchant.graceDays,
    cancelAtPeriodEnd: false,
    cancelledBy: null,
    pausedAt: null,
    pausedBy: null,
    trialEndingSent: false,
    endedAt: null,
    nextDecisionAt: null,
    problem: null,
    problemAt: null,
    portalTokenHash: null,
    portalTokenSealed: null,
    email: null,
    locale: input.locale,
    metadataJson: input.metadata === null ? null : JSON.stringify(input.metadata),
    successUrl: input.successUrl,
    returnUrl: input.returnUrl,
    allowedCryptosJson: JSON.stringify(input.allowedCryptos),
    ...creatorColumns(input.actor),
    sequence: 0,
    createdAt: now,
    updatedAt: now,
  };
}
