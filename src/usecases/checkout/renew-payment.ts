import type { Coin, Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { formatFiat } from '../../domain/fiat.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { joinGroup } from '../../store/payments/payment-groups.ts';
import { lastUpdateTime } from '../../store/payments/payment-timeline.ts';
import { findPayment, offeredBits, type StoredPayment } from '../../store/payments/payments.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findPaymentInvoice } from '../../store/subscriptions/invoices.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { parsePrice } from '../catalog/index.ts';
import { newTimedId } from '../events/index.ts';
import { invoiceDue } from '../invoices/index.ts';
import {
  type CreatePaymentDeps,
  type LoadedPayment,
  loadPayment,
  shopOffers,
  type RequestedConfirmations,
  stillAllowed,
  storePayment,
} from '../payments/index.ts';
import { findRenewal, type Renewal } from './renewal.ts';

/** The payment with which the payer continues. */
export interface RenewedPayment {
  readonly paymentId: string;
  readonly mode: Mode;
  /** Created by this request. */
  readonly isNew: boolean;
}

/**
 * Creates the payment that replaces an expired one, at the current rate: for the same order, price, customer
 * and texts, with new addresses. The old payment keeps its addresses, and late money counts for it as usual.
 * A repeated request returns the same new payment.
 * @param limit may reject the creation, by the merchant
 * @returns null where it cannot be renewed
 * @throws {AppError} PAYMENT_NOT_FOUND, RATE_UNAVAILABLE, COIN_UNAVAILABLE
 */
export async function renewPayment(
  deps: CreatePaymentDeps,
  paymentId: string,
  limit: (merchantId: string) => Promise<void>,
): Promise<RenewedPayment | null> {
  const seen = await read(deps, deps.db, paymentId);
  const { row } = seen.loaded;
  if (seen.renewal === null) return null;
  if (seen.renewal.paymentId === null) {
    await limit(row.merchantId);
    await deps.rates.ensure(row.currency);
  }
  const made = await deps.db.transaction(async (tx) => {
    const { loaded, merchant, renewal } = await read(deps, tx, paymentId);
    if (renewal === null) return null;
    if (renewal.paymentId !== null) return { paymentId: renewal.paymentId, isNew: false };
    return { paymentId: await insertRenewal(tx, deps, loaded.row, merchant), isNew: true };
  });
  if (made?.isNew === true) deps.wakeWebhooks();
  return made === null ? null : { ...made, mode: row.mode };
}

interface Seen {
  readonly loaded: LoadedPayment;
  readonly merchant: MerchantRow;
  readonly renewal: Renewal | null;
}

async function read(deps: CreatePaymentDeps, db: Db, paymentId: string): Promise<Seen> {
  const row = await findPayment(db, paymentId);
  const merchant = row === undefined ? undefined : await findMerchant(db, row.merchantId);
  if (row === undefined || merchant === undefined) throw new AppError('PAYMENT_NOT_FOUND', 'No such payment');
  const loaded = await loadPayment(db, deps, row);
  return { loaded, merchant, renewal: await findRenewal(db, loaded, { merchant, now: deps.clock.now() }) };
}

async function insertRenewal(
  tx: Tx,
  deps: CreatePaymentDeps,
  expired: StoredPayment,
  merchant: MerchantRow,
): Promise<string> {
  const { mode } = expired;
  const coins = JSON.parse(expired.allowedCryptosJson) as Coin[];
  const amount = await findAmount(tx, expired);
  const price = parsePrice({ ...expired, amount });
  const terms = { coins, mode, price, priceField: 'amount' } as const;
  const offers = await shopOffers(tx, deps, expired.merchantId, terms);
  const now = deps.clock.now();
  const row: StoredPayment = {
    ...expired,
    id: newTimedId('pay_', now),
    amount,
    linesJson: amount === expired.amount ? expired.linesJson : null,
    status: 'pending',
    exception: null,
    offered: offeredBits(offers.map(({ coin }) => coin)),
    toleranceBps: merchant.toleranceBps,
    latePolicy: merchant.latePolicy,
    // Its first event is written with it.
    sequence: 1,
    createdAt: now,
    expiresAt: now + (await readLifetime(tx, expired)),
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
    returnedJson: null,
    renews: expired.id,
    groupId: await joinGroup(tx, expired),
    supersededBy: null,
  };
  const requested = JSON.parse(expired.confirmationsJson ?? '{}') as RequestedConfirmations;
  const confirmations = stillAllowed(deps, offers, { mode, asked: requested });
  const { id } = await storePayment(tx, deps, row, { account: merchant.account, offers, confirmations });
  return id;
}

/** That of the expired payment, or what its invoice asks for since. */
async function findAmount(tx: Tx, expired: StoredPayment): Promise<string> {
  const invoice = await findPaymentInvoice(tx, expired.id);
  if (invoice === undefined) return expired.amount;
  const due = { minor: invoiceDue(invoice), currency: expired.currency };
  return parsePrice(expired).minor === due.minor ? expired.amount : formatFiat(due);
}

const MINUTE_MS = 60_000;

/** Lifetime since its terms were set, in whole minutes; the event of a change is written just after. */
async function readLifetime(db: Db, { id, createdAt, expiresAt }: StoredPayment): Promise<number> {
  const since = (await lastUpdateTime(db, id)) ?? createdAt;
  return Math.ceil((expiresAt - since) / MINUTE_MS) * MINUTE_MS;
}
