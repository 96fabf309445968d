import { COINS, type Coin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { formatFiat, type Fiat } from '../../domain/fiat.ts';
import { decide, paymentDueAt } from '../../domain/subscription/subscription-machine.ts';
import { periodStart } from '../../domain/subscription/periods.ts';
import { applyBalance, type Dues } from '../../domain/subscription/dues.ts';
import { toCreator } from '../../store/creators.ts';
import { findUserProduct } from '../../store/catalog/products.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { insertInvoice, updateInvoice, type StoredInvoice } from '../../store/subscriptions/invoices.ts';
import {
  invoiceDue,
  invoiceOrderId,
  loadState,
  NO_PROBLEM,
  readMerchant,
  payByCredit,
  periodPrice,
  saveSubscription,
} from '../invoices/index.ts';
import { createWithOffers, offersFor, shopOffers } from '../payments/index.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/**
 * Makes the next invoice with its payment, in the transaction of its subscription. The primary key of invoices
 * allows one for each period.
 * @throws {AppError} RATE_UNAVAILABLE, COIN_UNAVAILABLE, VALIDATION_INVALID (priceId) when it is too small or
 * too large to be paid
 */
export async function createInvoice(
  tx: Tx,
  deps: SubscriptionDeps,
  row: SubscriptionRow,
): Promise<SubscriptionRow> {
  const now = deps.clock.now();
  const merchant = await readMerchant(tx, row.merchantId);
  const state = await loadState(tx, row);
  const [start, end] = [periodStart(state.schedule, row.nextN), periodStart(state.schedule, row.nextN + 1)];
  const dues = payableDues(deps, row, { price: periodPrice(row), balance: BigInt(row.balanceMinor) });
  const invoice: StoredInvoice = {
    subscriptionId: row.id,
    n: row.nextN,
    periodStart: start,
    periodEnd: end,
    ...dues,
    currency: row.currency,
    status: 'open',
    paymentId: null,
    credited: 0n,
    interval: row.interval,
    rate: dues.price,
    proration: 0n,
    prorated: 0n,
    pausedMs: 0,
    payBy: paymentDueAt(state, Math.max(start, now), merchant.graceDays),
    createdAt: now,
    paidAt: null,
  };
  await insertInvoice(tx, invoice);
  const isCovered = invoiceDue(invoice) === 0n;
  const made = isCovered ? invoice : await withPayment(tx, deps, { row, merchant, invoice });
  const fact = { type: 'invoiced', payBy: made.payBy, graceDays: merchant.graceDays } as const;
  const decision = decide(state, fact, now);
  if (decision === null) throw new Error(`subscription ${row.id} cannot be invoiced`);
  const balanceMinor = (BigInt(row.balanceMinor) - dues.applied).toString();
  const saved = await saveSubscription(tx, deps, { ...row, ...NO_PROBLEM, balanceMinor }, decision, {
    invoice: made,
  });
  return isCovered ? payByCredit(tx, deps, saved, made) : saved;
}

async function withPayment(
  tx: Tx,
  deps: SubscriptionDeps,
  {
    row,
    merchant,
    invoice,
  }: { readonly row: SubscriptionRow; readonly merchant: MerchantRow; readonly invoice: StoredInvoice },
): Promise<StoredInvoice> {
  const due: Fiat = { minor: invoiceDue(invoice), currency: row.currency };
  const { mode, productId, priceId, quantity } = row;
  const product = await findUserProduct(tx, merchant.userId, productId);
  const creator = toCreator(row) ?? { kind: 'secret' as const, id: merchant.id };
  const amount = formatFiat(due);
  const orderId = invoiceOrderId(invoice);
  const payment = await createWithOffers(
    tx,
    deps,
    {
      merchant,
      actor: { ...creator, role: null },
      orderId,
      orderLabel: null,
      metadata: { subscriptionId: row.id },
      customFields: null,
      webhookUrl: null,
      successUrl: row.successUrl,
      returnUrl: row.returnUrl,
      locale: row.locale,
      description: product?.name ?? null,
      lines: product === undefined ? [] : [{ name: product.name, quantity, amount }],
      lifetimeMinutes: null,
      confirmations: {},
      allowedCryptos: allowedCoins(row),
      requestHash: orderId,
      linkId: null,
      counterId: null,
      tip: null,
    },
    {
      mode,
      customerId: row.customerId,
      price: { ...due, amount, productId, priceId },
      offers: await shopOffers(tx, deps, row.merchantId, {
        coins: acceptedCoins(row),
        mode,
        price: due,
        priceField: 'priceId',
      }),
    },
  );
  const made = { ...invoice, paymentId: payment.id };
  await updateInvoice(tx, made);
  return made;
}

function allowedCoins({ allowedCryptosJson: json }: Pick<SubscriptionRow, 'allowedCryptosJson'>): Coin[] {
  return JSON.parse(json) as Coin[];
}

function acceptedCoins(row: Pick<SubscriptionRow, 'allowedCryptosJson'>): readonly Coin[] {
  const allowed = allowedCoins(row);
  return allowed.length === 0 ? COINS : allowed;
}

/**
 * The balance that an invoice uses up. Where credit leaves less than the smallest payment of every coin, the
 * invoice is covered, and the rest is a debt of the next one.
 * @throws {AppError} RATE_UNAVAILABLE, COIN_UNAVAILABLE, VALIDATION_INVALID (amount) when it leaves too much
 */
export function payableDues(
  deps: SubscriptionDeps,
  row: Pick<SubscriptionRow, 'allowedCryptosJson' | 'mode' | 'currency'>,
  { price, balance }: { readonly price: bigint; readonly balance: bigint },
): Dues {
  const dues = applyBalance(price, balance);
  const minor = invoiceDue(dues);
  if (dues.applied <= 0n || minor === 0n) return dues;
  const terms = { mode: row.mode, price: { minor, currency: row.currency }, priceField: 'amount' } as const;
  try {
    offersFor(deps, acceptedCoins(row), terms);
    return dues;
  } catch (error) {
    if (!(error instanceof AppError) || error.details[0]?.code !== 'too_small') throw error;
    return { price, applied: price };
  }
}

/**
 * Refuses a price that cannot be paid in any coin.
 * @throws {AppError} RATE_UNAVAILABLE, COIN_UNAVAILABLE, VALIDATION_INVALID (priceId)
 */
export function assertPayable(deps: SubscriptionDeps, row: SubscriptionRow): void {
  const price = { minor: periodPrice(row), currency: row.currency };
  offersFor(deps, acceptedCoins(row), { mode: row.mode, price, priceField: 'priceId' });
}
