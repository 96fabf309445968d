import type { Actor } from '../../domain/actor.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { Fiat } from '../../domain/fiat.ts';
import { assertMayChange, locksPrice } from '../../domain/origin.ts';
import type { Clock, Logger, Rates } from '../../domain/ports.ts';
import { findOrigin } from '../../store/creators.ts';
import { updateTerms, type PaymentTerms, type StoredOption } from '../../store/payments/payments.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findPaymentInvoice } from '../../store/subscriptions/invoices.ts';
import { parsePrice } from '../catalog/index.ts';
import { emitPaymentEvents } from './emit-payment-events.ts';
import { findOwnGroupLead, findOwnPayment } from './get-payment.ts';
import { loadPayment, type LoadedPayment } from './load-payment.ts';
import { toPaymentOption, quotedTerms, type RequestedConfirmations, type OfferDeps } from './offers.ts';
import { linesJson, parseLines, refuseExcessiveLines, type PaymentLine } from './payment-lines.ts';
import { validateReturnUrls } from './validate-return-urls.ts';
import { presentPayment, type PaymentView, type PresentDeps } from './present-payment.ts';

export interface UpdatePaymentDeps extends PresentDeps, OfferDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly rates: Rates;
  readonly wakeWebhooks: () => void;
  /** Called after the commit: open checkout pages show the new terms. */
  readonly onPaymentChanged: (paymentId: string) => void;
}

/** Omitted fields stay unchanged; null removes the value. */
export interface UpdatePaymentInput {
  readonly merchant: MerchantRow;
  readonly actor: Actor;
  readonly paymentId: string;
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly lines?: readonly PaymentLine[] | undefined;
  readonly description?: string | null | undefined;
  readonly orderLabel?: string | null | undefined;
  readonly metadata?: object | undefined;
  readonly successUrl?: string | null | undefined;
  readonly returnUrl?: string | null | undefined;
  readonly lifetimeMinutes?: number | undefined;
}

/**
 * Changes the terms of a payment, at the same addresses, with a new quote and a new deadline. Only before any
 * money was seen: this is checked in the transaction that writes the new terms, so that money is judged by
 * either the old ones or the new ones.
 * @throws {AppError} PAYMENT_NOT_FOUND; INVALID_STATE once money was seen, the deadline has passed or it has
 * ended; RATE_UNAVAILABLE; VALIDATION_INVALID (amount, currency, lines); FORBIDDEN for fields that a clerk
 * may not change
 */
export async function updatePayment(
  deps: UpdatePaymentDeps,
  input: UpdatePaymentInput,
): Promise<PaymentView> {
  const at = { merchantId: input.merchant.id, paymentId: input.paymentId };
  const { currency } = await findOwnPayment(deps.db, at);
  await deps.rates.ensure(input.currency ?? currency);
  await deps.db.transaction(async (tx) => {
    const loaded = await loadPayment(tx, deps, await findOwnGroupLead(tx, at));
    refuseUnlessUntouched(loaded, deps.clock.now());
    await changeTerms(tx, deps, loaded, input);
    tx.afterCommit(() => deps.onPaymentChanged(input.paymentId));
  });
  deps.wakeWebhooks();
  return presentPayment(deps.db, deps, await findOwnPayment(deps.db, at));
}

function refuseUnlessUntouched({ row, state }: LoadedPayment, now: number): void {
  if (state.credits.length > 0) {
    throw new AppError(
      'INVALID_STATE',
      'Money was seen for this payment: its terms can no longer be changed',
    );
  }
  if (row.status !== 'pending' || row.closedAt !== null) {
    throw new AppError('INVALID_STATE', `A payment that is ${row.status} cannot be changed`);
  }
  if (row.expiresAt <= now) throw new AppError('INVALID_STATE', 'The deadline of this payment has passed');
}

async function changeTerms(
  tx: Tx,
  deps: UpdatePaymentDeps,
  loaded: LoadedPayment,
  input: UpdatePaymentInput,
): Promise<void> {
  const { row } = loaded;
  const { actor, merchant } = input;
  const price = updatedPrice(loaded, input);
  const isPriceChanged = price.amount !== row.amount || price.currency !== row.currency;
  if (isPriceChanged && (await findPaymentInvoice(tx, row.id)) !== undefined) {
    throw new AppError(
      'INVALID_STATE',
      'The payment is an invoice: edit or credit its subscription to change the amount',
    );
  }
  const urls = changedUrls(row, input);
  assertMayChange(actor, merchant.userId, findOrigin(row), { isPriceChanged, urls });
  const lines = input.lines ?? parseLines(row.linesJson);
  refuseExcessiveLines(lines, price);
  const options = requoted(deps, loaded, price);
  const now = deps.clock.now();
  const lifetimeMinutes = input.lifetimeMinutes ?? merchant.paymentLifetimeMinutes;
  const terms: PaymentTerms = {
    amount: price.amount,
    currency: price.currency,
    // Another amount is no longer the catalog's price.
    priceId: isPriceChanged ? null : row.priceId,
    priceLocked: isPriceChanged ? locksPrice(actor, merchant.userId, false) : row.priceLocked,
    linesJson: linesJson(lines),
    // It was a part of the former amount.
    tip: isPriceChanged ? null : row.tip,
    description: input.description === undefined ? row.description : input.description,
    orderLabel: input.orderLabel === undefined ? row.orderLabel : input.orderLabel,
    metadataJson: input.metadata === undefined ? row.metadataJson : JSON.stringify(input.metadata),
    successUrl: input.successUrl === undefined ? row.successUrl : input.successUrl,
    returnUrl: input.returnUrl === undefined ? row.returnUrl : input.returnUrl,
    expiresAt: now + lifetimeMinutes * 60_000,
    updatedAt: now,
    sequence: row.sequence + 1,
  };
  validateReturnUrls({ ...row, ...terms });
  await updateTerms(tx, row.id, terms, options);
  const after = await loadPayment(tx, deps, { ...row, ...terms });
  await emitPaymentEvents(tx, deps, after, ['payment.updated']);
}

/**
 * Quotes the unpaid payment of an invoice again, for another amount. Its deadline does not move, and an expired one
 * is quoted too: otherwise money for its former amount, unseen or late, would pay the invoice.
 * @throws {AppError} RATE_UNAVAILABLE, VALIDATION_INVALID (amount) where it cannot be paid in each of its coins
 */
export async function changeInvoiceAmount(
  tx: Tx,
  deps: UpdatePaymentDeps,
  loaded: LoadedPayment,
  amount: string,
): Promise<void> {
  const { row } = loaded;
  const now = deps.clock.now();
  if (row.status !== 'pending' && row.status !== 'expired') return;
  const price = { ...parsePrice({ amount, currency: row.currency }), amount };
  const terms: PaymentTerms = {
    ...row,
    amount,
    // Its line has another amount.
    linesJson: null,
    updatedAt: now,
    sequence: row.sequence + 1,
  };
  await updateTerms(tx, row.id, terms, requoted(deps, loaded, price));
  tx.afterCommit(() => deps.onPaymentChanged(row.id));
  await emitPaymentEvents(tx, deps, await loadPayment(tx, deps, { ...row, ...terms }), ['payment.updated']);
}

function changedUrls(row: LoadedPayment['row'], input: UpdatePaymentInput): string[] {
  const [success, back] = [input.successUrl ?? null, input.returnUrl ?? null];
  return [
    ...(input.successUrl === undefined || success === row.successUrl ? [] : ['successUrl']),
    ...(input.returnUrl === undefined || back === row.returnUrl ? [] : ['returnUrl']),
  ];
}

type Price = Fiat & { readonly amount: string };

function updatedPrice({ row }: LoadedPayment, { amount, currency }: UpdatePaymentInput): Price {
  if (currency !== undefined && currency !== row.currency && amount === undefined) {
    throw invalidField('amount', 'is required with another currency', 'required');
  }
  const price = { amount: amount ?? row.amount, currency: currency ?? row.currency };
  return { ...parsePrice(price), amount: price.amount };
}

/**
 * Every offered coin with a new quote: its address may be in the payer's wallet already, so none can be
 * dropped.
 */
function requoted(deps: UpdatePaymentDeps, { row, options }: LoadedPayment, price: Price): StoredOption[] {
  const { mode } = row;
  const requested =
    row.confirmationsJson === null ? {} : (JSON.parse(row.confirmationsJson) as RequestedConfirmations);
  return options.map((option) => {
    const offer = toPaymentOption(deps, option.coin, { mode, price, priceField: 'amount' });
    if (typeof offer === 'string') {
      throw invalidField('amount', `${offer} to be paid in ${option.coin}, a coin of this payment`);
    }
    return { ...option, ...quotedTerms(deps, offer, { mode, requested }) };
  });
}
