import type { Actor } from '../../domain/actor.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import { COINS } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { isTipWithin } from '../../domain/counter.ts';
import { parseFiat } from '../../domain/fiat.ts';
import { assertMaySetUrls, locksPrice } from '../../domain/origin.ts';
import type { Rates } from '../../domain/ports.ts';
import { creatorColumns } from '../../store/creators.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import {
  findOpenOrder,
  isOrderOfShop,
  insertPayment,
  insertPaymentOptions,
  offeredBits,
  type StoredOption,
  type StoredPayment,
} from '../../store/payments/payments.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { replacePayment } from '../../store/subscriptions/invoices.ts';
import { type AllocateAddressDeps, allocateAddresses } from '../addresses/index.ts';
import { findOrCreatePayer, type Payer } from '../customers/index.ts';
import { emitEvent, newTimedId } from '../events/index.ts';
import { refuseWebhookUrl, type WebhookUrlRule } from '../webhooks/index.ts';
import type { ApplyFactsDeps } from './apply-facts.ts';
import { toUnpaidPayment } from './load-payment.ts';
import { refuseInvoiceOrder } from './refuse-invoice-order.ts';
import {
  confirmationsJson,
  shopOffers,
  quotedTerms,
  type RequestedConfirmations,
  type Offer,
  type OfferDeps,
} from './offers.ts';
import { linesJson, refuseExcessiveLines, type PaymentLine } from './payment-lines.ts';
import { presentLoaded, presentPayment, type PaymentView } from './present-payment.ts';
import { validateReturnUrls } from './validate-return-urls.ts';
import { priceCurrency, resolvePrice, type PriceChoice, type ResolvedPrice } from './resolve-price.ts';

export interface CreatePaymentDeps extends ApplyFactsDeps, AllocateAddressDeps, OfferDeps {
  readonly db: Db;
  readonly rates: Rates;
  /** Called after the commit, so that the event is delivered at once. */
  readonly wakeWebhooks: () => void;
  readonly webhookUrlRule: WebhookUrlRule;
}

export interface CreatePaymentInput {
  readonly merchant: MerchantRow;
  readonly actor: Actor;
  readonly price: PriceChoice;
  readonly payer: Payer;
  readonly orderId: string;
  /** Null: payers see the order id. */
  readonly orderLabel: string | null;
  readonly metadata: object | null;
  readonly customFields: object | null;
  readonly webhookUrl: string | null;
  readonly successUrl: string | null;
  readonly returnUrl: string | null;
  /** BCP 47 tag. */
  readonly locale: string | null;
  readonly description: string | null;
  readonly lines: readonly PaymentLine[];
  /** Null: the merchant's. */
  readonly lifetimeMinutes: number | null;
  readonly confirmations: RequestedConfirmations;
  /** Empty: every coin that the shop accepts. */
  readonly allowedCryptos: readonly Coin[];
  /** The credential is public: it must reveal nothing of a payment whose order id was only guessed. */
  readonly isPublic: boolean;
  /** SHA-256 of the request, to distinguish a repeat from another order. */
  readonly requestHash: string;
  /** The payment link that created it; null: the shop did. */
  readonly linkId: string | null;
  /** The counter that charges it; null: none does. */
  readonly counterId: string | null;
  /** The part of the price that is a tip, a decimal string; null: none. */
  readonly tip: string | null;
}

/**
 * Creates a payment with its own address in every offered coin. Calls no node, because addresses are derived
 * locally and rates come from memory. A repeated order returns the existing payment.
 * @throws {AppError} CUSTOMER_NOT_FOUND, PRODUCT_NOT_FOUND, PRICE_NOT_FOUND, DUPLICATE_ENTRY (order id in
 * use), COIN_UNAVAILABLE, RATE_UNAVAILABLE, VALIDATION_INVALID (amount, currency, lines, tip, confirmations,
 * lifetimeMinutes or webhookUrl), FORBIDDEN for fields that a clerk may not set
 */
export async function createPayment(
  deps: CreatePaymentDeps,
  input: CreatePaymentInput,
): Promise<{ payment: PaymentView; repeated: boolean }> {
  assertMaySetUrls(input.actor, givenUrls(input));
  refuseWebhookUrl(deps.webhookUrlRule, input.webhookUrl);
  refuseLongQuote(input);
  const mode: Mode = input.merchant.sandbox ? 'sandbox' : 'live';
  const currency = await priceCurrency(deps.db, input.merchant.userId, input.price);
  if (currency !== null) await deps.rates.ensure(currency);
  const made = await deps.db.transaction(async (tx) => {
    const customerId = await findOrCreatePayer(tx, deps, input.merchant.userId, input.payer);
    const existing = await findOpenOrder(tx, { merchantId: input.merchant.id, mode, orderId: input.orderId });
    if (existing !== undefined) return { repeated: requireRepeat(existing, input) };
    await refuseInvoiceOrder(tx, { merchantId: input.merchant.id, orderId: input.orderId });
    await refuseOrderOfShop(tx, input, mode);
    const price = await resolvePrice(tx, input);
    refuseExcessiveLines(input.lines, price);
    refuseExcessiveTip(input.tip, price);
    const priceField = price.priceId === null ? 'amount' : 'priceId';
    const coins = allowedCoins(input);
    const offers = await shopOffers(tx, deps, input.merchant.id, { coins, mode, price, priceField });
    return { payment: await createWithOffers(tx, deps, input, { mode, customerId, price, offers }) };
  });
  if (made.repeated !== undefined) {
    return { payment: await presentPayment(deps.db, deps, made.repeated), repeated: true };
  }
  deps.wakeWebhooks();
  return { payment: made.payment, repeated: false };
}

/** The fields that decide where payers or events go. */
function givenUrls(input: CreatePaymentInput): string[] {
  return (['successUrl', 'returnUrl', 'webhookUrl'] as const).filter((field) => input[field] !== null);
}

/**
 * A shop that identifies orders by their ids would mistake another payment, of another price, for its own.
 */
async function refuseOrderOfShop(tx: Tx, input: CreatePaymentInput, mode: Mode): Promise<void> {
  const { actor, merchant, orderId } = input;
  if (actor.role !== 'clerk') return;
  const order = { merchantId: merchant.id, mode, orderId, ownerId: merchant.userId };
  if (!(await isOrderOfShop(tx, order))) return;
  const details = [{ field: 'orderId', code: 'forbidden', message: 'belongs to an order of the shop' }];
  throw new AppError(
    'FORBIDDEN',
    'The shop created a payment for this order: a clerk must use another order id',
    {
      details,
    },
  );
}

function requireRepeat(existing: StoredPayment, input: CreatePaymentInput): StoredPayment {
  if (existing.requestHash === input.requestHash) return existing;
  throw new AppError('DUPLICATE_ENTRY', 'orderId: this order id already belongs to another payment', {
    details: [
      {
        field: 'orderId',
        code: 'duplicate',
        message: 'already belongs to another payment',
        ...(input.isPublic ? {} : { existingId: existing.id }),
      },
    ],
  });
}

/** A payer with a quote longer than the shop grants could wait for a better price at its expense. */
function refuseLongQuote({ isPublic, lifetimeMinutes, merchant }: CreatePaymentInput): void {
  const most = merchant.paymentLifetimeMinutes;
  if (!isPublic || lifetimeMinutes === null || lifetimeMinutes <= most) return;
  throw invalidField('lifetimeMinutes', `must be at most ${most} with a public key`, 'too_big');
}

/** A tip is at most as much as the remainder of the price. */
function refuseExcessiveTip(tip: string | null, { minor, currency }: ResolvedPrice): void {
  if (tip === null || isTipWithin(parseFiat(tip, currency).minor, minor)) return;
  throw invalidField('tip', 'must not be more than what is paid for', 'too_big');
}

function allowedCoins({ allowedCryptos }: CreatePaymentInput): readonly Coin[] {
  return COINS.filter((coin) => allowedCryptos.length === 0 || allowedCryptos.includes(coin));
}

/** What the terms of a new payment are resolved to. */
export interface NewTerms {
  readonly mode: Mode;
  readonly customerId: string | null;
  readonly price: ResolvedPrice;
  readonly offers: readonly Offer[];
}

/** Creates a payment whose payer, price and offers are resolved already. */
export async function createWithOffers(
  tx: Tx,
  deps: CreatePaymentDeps,
  input: Omit<CreatePaymentInput, 'payer' | 'price' | 'isPublic'>,
  terms: NewTerms,
): Promise<PaymentView> {
  const row = newPaymentRow(deps.clock.now(), input, terms);
  return storePayment(tx, deps, row, {
    account: input.merchant.account,
    offers: terms.offers,
    confirmations: input.confirmations,
  });
}

/** The terms of a new payment. */
export interface OfferedTerms {
  /** The merchant's account number in the wallet tree. */
  readonly account: number;
  readonly offers: readonly Offer[];
  readonly confirmations: RequestedConfirmations;
}

/** Stores a new payment with its own address in every offered coin, and its payment.created. */
export async function storePayment(
  tx: Tx,
  deps: CreatePaymentDeps,
  row: StoredPayment,
  terms: OfferedTerms,
): Promise<PaymentView> {
  const { mode } = row;
  validateReturnUrls(row);
  await insertPayment(tx, row);
  if (row.renews !== null) await replacePayment(tx, row.renews, row.id);
  const options = await insertOptions(tx, deps, row, terms);
  const payment = presentLoaded(deps, toUnpaidPayment(deps, row, options), [
    { type: 'payment.created', sequence: row.sequence, at: row.createdAt },
  ]);
  const merchant = await findMerchant(tx, row.merchantId);
  if (merchant === undefined) throw new Error(`merchant ${row.merchantId} does not exist`);
  await emitEvent(tx, deps, {
    merchant: { id: merchant.id, webhookUrl: merchant.webhookUrl },
    type: 'payment.created',
    mode,
    paymentId: row.id,
    sendId: null,
    sequence: row.sequence,
    data: { payment },
    paymentWebhookUrl: row.webhookUrl,
  });
  return payment;
}

async function insertOptions(
  tx: Tx,
  deps: CreatePaymentDeps,
  payment: StoredPayment,
  { account, offers, confirmations: requested }: OfferedTerms,
): Promise<StoredOption[]> {
  const { id, merchantId, mode } = payment;
  const at = { merchantId, account, mode, branch: 0, purpose: 'payment', paymentId: id } as const;
  const coins = offers.map(({ coin }) => coin);
  const addresses = await allocateAddresses(tx, deps, at, coins);
  const options = offers.map((offer): StoredOption => {
    const address = addresses.find(({ coin }) => coin === offer.coin);
    if (address === undefined) throw new Error(`no ${offer.coin} address was stored`);
    const quoted = quotedTerms(deps, offer, { mode, requested });
    return { paymentId: id, coin: offer.coin, addressId: address.id, address: address.address, ...quoted };
  });
  await insertPaymentOptions(tx, options);
  return options.toSorted((a, b) => (a.coin < b.coin ? -1 : 1));
}

function newPaymentRow(
  now: number,
  input: Omit<CreatePaymentInput, 'payer' | 'price' | 'isPublic'>,
  { mode, customerId, price, offers }: NewTerms,
): StoredPayment {
  const lifetimeMinutes = input.lifetimeMinutes ?? input.merchant.paymentLifetimeMinutes;
  return {
    id: newTimedId('pay_', now),
    merchantId: input.merchant.id,
    customerId,
    orderId: input.orderId,
    orderLabel: input.orderLabel,
    mode,
    status: 'pending',
    exception: null,
    amount: price.amount,
    currency: price.currency,
    productId: price.productId,
    priceId: price.priceId,
    metadataJson: input.metadata === null ? null : JSON.stringify(input.metadata),
    customFieldsJson: input.customFields === null ? null : JSON.stringify(input.customFields),
    webhookUrl: input.webhookUrl,
    successUrl: input.successUrl,
    returnUrl: input.returnUrl,
    locale: input.locale,
    description: input.description,
    linesJson: linesJson(input.lines),
    confirmationsJson: confirmationsJson(input.confirmations),
    allowedCryptosJson: JSON.stringify(input.allowedCryptos.length === 0 ? COINS : input.allowedCryptos),
    offered: offeredBits(offers.map(({ coin }) => coin)),
    toleranceBps: input.merchant.toleranceBps,
    latePolicy: input.merchant.latePolicy,
    requestHash: input.requestHash,
    // Its first event is written with it.
    sequence: 1,
    createdAt: now,
    expiresAt: now + lifetimeMinutes * 60_000,
    updatedAt: now,
    closedAt: null,
    cancelledAt: null,
    acceptedAt: null,
    acceptedPosition: null,
    acceptedJson: null,
    excessTold: null,
    refundedAt: null,
    refundedPosition: null,
    refundedBy: null,
    hasMoneyAfterRefund: false,
    returnedJson: null,
    linkId: input.linkId,
    counterId: input.counterId,
    tip: input.tip,
    ...creatorColumns(input.actor),
    priceLocked: locksPrice(input.actor, input.merchant.userId, price.priceId !== null),
    renews: null,
    groupId: null,
    supersededBy: null,
  };
}
