import type { Coin, Mode } from '../../domain/coins.ts';
import { COIN_DEFINITIONS, COINS } from '../../domain/coins.ts';
import { depthOf, finalityOf, requirementFor, type ConfirmationPolicy } from '../../domain/confirmations.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { RateQuote, Rates } from '../../domain/ports.ts';
import { coinAmountFor } from '../../domain/price.ts';
import { findCustomerOf } from '../../store/catalog/customers.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import {
  findOpenOrder,
  insertPayment,
  insertPaymentOptions,
  offeredBits,
  type StoredOption,
  type StoredPayment,
} from '../../store/payments/payments.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { allocateAddresses, type AllocateAddressDeps } from './allocate-address.ts';
import { newTimedId } from '../events/new-id.ts';
import { refuseWebhookUrl, type WebhookUrlRule } from '../webhooks/webhook-url-rule.ts';
import { emitEvent } from '../events/emit-event.ts';
import type { ApplyFactsDeps } from './apply-facts.ts';
import { loadedNew } from './load-payment.ts';
import { presentLoaded, presentPayment, type PaymentView } from './present-payment.ts';
import { priceCurrency, resolvePrice, type PriceChoice, type ResolvedPrice } from './resolve-price.ts';

export interface CreatePaymentDeps extends ApplyFactsDeps, AllocateAddressDeps {
  readonly db: Db;
  readonly rates: Rates;
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
  /** Called after the commit, so that the event goes out at once. */
  readonly wakeWebhooks: () => void;
  readonly webhookUrlRule: WebhookUrlRule;
}

export interface CreatePaymentInput {
  readonly merchant: MerchantRow;
  readonly price: PriceChoice;
  readonly customerId: string;
  readonly orderId: string;
  readonly metadata: object | null;
  readonly customFields: object | null;
  readonly webhookUrl: string | null;
  readonly successUrl: string | null;
  readonly returnUrl: string | null;
  /** Empty: every coin the shop can take. */
  readonly allowedCryptos: readonly Coin[];
  /** SHA-256 of the request, to tell a repeat from another order. */
  readonly requestHash: string;
}

/** A coin that can be offered for the price, with the atoms it takes. */
interface Offer {
  readonly coin: Coin;
  readonly due: bigint;
  readonly quote: RateQuote;
}

/**
 * Creates a payment with an address of its own in every coin offered. Asks no node: addresses are
 * derived locally and rates come from memory. The same order again answers the existing payment.
 * @throws {AppError} CUSTOMER_NOT_FOUND, PRODUCT_NOT_FOUND, PRICE_NOT_FOUND, DUPLICATE_ENTRY (order id
 * in use), COIN_UNAVAILABLE, RATE_UNAVAILABLE, VALIDATION_INVALID (amount, currency or webhookUrl)
 */
export async function createPayment(
  deps: CreatePaymentDeps,
  input: CreatePaymentInput,
): Promise<{ payment: PaymentView; repeated: boolean }> {
  refuseWebhookUrl(deps.webhookUrlRule, input.webhookUrl);
  const mode: Mode = input.merchant.sandbox === 1 ? 'sandbox' : 'live';
  const currency = await priceCurrency(deps.db, input.merchant.user_id, input.price);
  if (currency !== null) await deps.rates.ensure(currency);
  const made = await deps.db.transaction(async (tx) => {
    const customer = await findCustomerOf(tx, input.merchant.user_id, input.customerId);
    if (customer === undefined) throw new AppError('CUSTOMER_NOT_FOUND', 'No such customer');
    const existing = await findOpenOrder(tx, { merchantId: input.merchant.id, mode, orderId: input.orderId });
    if (existing !== undefined) return { repeated: repeatOf(existing, input) };
    const price = await resolvePrice(tx, input.merchant.user_id, input.price);
    const offers = offersFor(deps, input, mode, price);
    return { payment: await insertWithOffers(tx, deps, input, { mode, price, offers }) };
  });
  if (made.repeated !== undefined) {
    return { payment: await presentPayment(deps.db, deps, made.repeated), repeated: true };
  }
  deps.wakeWebhooks();
  return { payment: made.payment, repeated: false };
}

function repeatOf(existing: StoredPayment, input: CreatePaymentInput): StoredPayment {
  if (existing.request_hash === input.requestHash) return existing;
  throw new AppError('DUPLICATE_ENTRY', 'orderId: this order id already belongs to another payment', {
    details: [{ field: 'orderId', code: 'duplicate', message: 'already belongs to another payment' }],
  });
}

/** The coins that are allowed, configured, priced and large enough to be paid on their chain. */
function offersFor(
  deps: CreatePaymentDeps,
  input: CreatePaymentInput,
  mode: Mode,
  price: ResolvedPrice,
): Offer[] {
  const allowed = COINS.filter(
    (coin) => input.allowedCryptos.length === 0 || input.allowedCryptos.includes(coin),
  );
  const running = allowed.filter((coin) => deps.chains.get(coin, mode) !== null);
  if (running.length === 0) {
    throw new AppError('COIN_UNAVAILABLE', 'None of the allowed coins is configured on this server');
  }
  const offers: Offer[] = [];
  let lastError: unknown;
  let tooSmall = false;
  for (const coin of running) {
    try {
      const quote = deps.rates.quote(coin, price.currency, mode);
      const due = coinAmountFor(price.minor, price.digits, quote.rate, COIN_DEFINITIONS[coin].decimals);
      const payable = due >= (deps.chains.get(coin, mode)?.minimumPayment ?? 0n);
      if (payable) offers.push({ coin, due, quote });
      else tooSmall = true;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_UNAVAILABLE') throw error;
      lastError = error;
    }
  }
  if (offers.length > 0) return offers;
  if (tooSmall) {
    const field = price.priceId === null ? 'amount' : 'priceId';
    throw invalidField(field, 'too small to be paid in any of the allowed coins');
  }
  throw lastError;
}

async function insertWithOffers(
  tx: Tx,
  deps: CreatePaymentDeps,
  input: CreatePaymentInput,
  { mode, price, offers }: { mode: Mode; price: ResolvedPrice; offers: readonly Offer[] },
): Promise<PaymentView> {
  const row = newPaymentRow(deps.clock.now(), input, mode, price, offers);
  await insertPayment(tx, row);
  const options = await insertOptions(tx, deps, row, { account: input.merchant.account, offers });
  const payment = presentLoaded(deps, loadedNew(row, options), [
    { type: 'payment.created', sequence: row.sequence, at: row.created_at },
  ]);
  const merchant = await findMerchant(tx, row.merchant_id);
  if (merchant === undefined) throw new Error(`merchant ${row.merchant_id} does not exist`);
  await emitEvent(tx, deps, {
    merchant: { id: merchant.id, webhookUrl: merchant.webhook_url },
    type: 'payment.created',
    mode,
    paymentId: row.id,
    sendId: null,
    sequence: row.sequence,
    data: { payment },
    paymentWebhookUrl: row.webhook_url,
  });
  return payment;
}

async function insertOptions(
  tx: Tx,
  deps: CreatePaymentDeps,
  payment: StoredPayment,
  { account, offers }: { account: number; offers: readonly Offer[] },
): Promise<StoredOption[]> {
  const { id, merchant_id: merchantId, mode } = payment;
  const at = { merchantId, account, mode, branch: 0, purpose: 'payment', paymentId: id } as const;
  const coins = offers.map(({ coin }) => coin);
  const addresses = await allocateAddresses(tx, deps, at, coins);
  const options = offers.map(({ coin, due, quote }): StoredOption => {
    const address = addresses.find((candidate) => candidate.coin === coin);
    if (address === undefined) throw new Error(`no ${coin} address was stored`);
    const requirement = requirementFor(deps.confirmations(coin, mode), due);
    return {
      payment_id: id,
      coin,
      address_id: address.id,
      address: address.address,
      amount: due.toString(),
      rate: quote.rate,
      rate_sources_json: JSON.stringify(quote.sources),
      rate_at: quote.at,
      required_confirmations: depthOf(requirement),
      required_finality: finalityOf(requirement),
    };
  });
  await insertPaymentOptions(tx, options);
  return options.toSorted((a, b) => (a.coin < b.coin ? -1 : 1));
}

function newPaymentRow(
  now: number,
  input: CreatePaymentInput,
  mode: Mode,
  price: ResolvedPrice,
  offers: readonly Offer[],
): StoredPayment {
  return {
    id: newTimedId('pay_', now),
    merchant_id: input.merchant.id,
    customer_id: input.customerId,
    order_id: input.orderId,
    mode,
    status: 'pending',
    exception: null,
    amount: price.amount,
    currency: price.currency,
    product_id: price.productId,
    price_id: price.priceId,
    metadata_json: input.metadata === null ? null : JSON.stringify(input.metadata),
    custom_fields_json: input.customFields === null ? null : JSON.stringify(input.customFields),
    webhook_url: input.webhookUrl,
    success_url: input.successUrl,
    return_url: input.returnUrl,
    allowed_cryptos_json: JSON.stringify(input.allowedCryptos.length === 0 ? COINS : input.allowedCryptos),
    offered: offeredBits(offers.map(({ coin }) => coin)),
    tolerance_bps: input.merchant.tolerance_bps,
    late_policy: input.merchant.late_policy,
    request_hash: input.requestHash,
    // Its first event is written with it.
    sequence: 1,
    created_at: now,
    expires_at: now + input.merchant.payment_lifetime_minutes * 60_000,
    updated_at: now,
    closed_at: null,
    cancelled_at: null,
    accepted_at: null,
    accepted_json: null,
    excess_told: null,
    refunded_at: null,
    refunded_by: null,
  };
}
