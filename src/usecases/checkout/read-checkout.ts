import { COIN_DEFINITIONS, COINS, type Coin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { Explorers } from '../../domain/explorers.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { atomsToRequest } from '../../domain/payment/paid-share.ts';
import { liveCredits } from '../../domain/payment/credits.ts';
import { missingShare } from '../../domain/payment/status.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Business } from '../../domain/receipt.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { checkoutRows, findPayment, type CheckoutRow } from '../../store/payments/payments.ts';
import { type Excess, type ExcessRequest, readExcess, readExcessRequest } from '../refunds/index.ts';
import { findRenewal, type Renewal } from './renewal.ts';
import { allowedEmbedOrigins, shopProfile, type ShopProfile } from '../shops/index.ts';
import {
  type LoadedPayment,
  loadPayment,
  payerView,
  type PresentDeps,
  presentPayment,
  presentRefund,
} from '../payments/index.ts';

export interface ReadCheckoutDeps extends PresentDeps {
  readonly db: Db;
  /** Block explorers that payer pages link to. */
  readonly payerExplorers: Explorers;
  readonly clock: Clock;
}

/** The amount currently due in one coin: the whole price, or the missing part. */
export interface AmountDue {
  readonly coin: Coin;
  readonly address: string;
  /** Decimal string in the coin's unit. */
  readonly amount: string;
  readonly uri: string | null;
}

/** Money that the shop sent back, as visible on the chain. */
export interface MoneyBack {
  readonly coin: Coin;
  /** Decimal string in the coin's unit: the amount that arrives. */
  readonly amount: string;
  readonly txid: string;
  readonly isConfirmed: boolean;
  /** Its value in the payment's currency; null while not known. */
  readonly fiatAmount: string | null;
}

/** All data of the checkout page: the payer's view and the shop's public profile, and nothing else. */
export interface CheckoutView {
  readonly merchantId: string;
  readonly shop: ShopProfile;
  readonly payment: ReturnType<typeof payerView>;
  /** Time of the last completion, ISO 8601; null: never completed. */
  readonly completedAt: string | null;
  /** The seller on its receipt, as issued; null: none was entered then. */
  readonly seller: Business | null;
  /** Sites that may embed the page in a frame. */
  readonly embedOrigins: readonly string[];
  /** The renewal of an expired payment, made or possible; null for any other payment. */
  readonly renewal: Renewal | null;
  /** Money of its order was seen, and exists or may still arrive after a reversal. */
  readonly hasMoney: boolean;
  /** Created by a payment link: its way back is the link's page, which creates a payment of its own. */
  readonly isByLink: boolean;
  /** Shown at the shop's counter, which continues with the next customer. */
  readonly atCounter: boolean;
  readonly due: readonly AmountDue[];
  /** The excess of an overpaid payment that was not refunded yet. */
  readonly excess: Excess | null;
  /** Whether its payer may request that excess now. */
  readonly mayRequestExcess: boolean;
  /** The latest request for it. */
  readonly excessRequest: ExcessRequest | null;
  /** Newest last. */
  readonly moneyBack: readonly MoneyBack[];
  /** Explorers of its transactions: none in the sandbox. */
  readonly explorers: Explorers;
  /** Differs from the result of readStamps once anything stored of the payment has changed. */
  readonly stamp: string;
}

/**
 * Reads a payment for a caller with its link.
 * @throws {AppError} PAYMENT_NOT_FOUND
 */
export async function readCheckout(deps: ReadCheckoutDeps, paymentId: string): Promise<CheckoutView> {
  const row = await findPayment(deps.db, paymentId);
  const merchant = row === undefined ? undefined : await findMerchant(deps.db, row.merchantId);
  if (row === undefined || merchant === undefined) throw new AppError('PAYMENT_NOT_FOUND', 'No such payment');
  const loaded = await loadPayment(deps.db, deps, row);
  const payment = await presentPayment(deps.db, deps, row);
  const { mayRequest, request } = await readExcessRequest(deps.db, loaded, merchant);
  return {
    merchantId: merchant.id,
    shop: shopProfile(merchant),
    payment: payerView(payment),
    completedAt: payment.timeline.findLast(({ type }) => type === 'payment.completed')?.at ?? null,
    seller: loaded.receipt?.seller ?? null,
    embedOrigins: allowedEmbedOrigins(merchant),
    renewal: await findRenewal(deps.db, loaded, { merchant, now: deps.clock.now() }),
    hasMoney:
      row.supersededBy !== null || row.exception === 'reversed' || liveCredits(loaded.state).length > 0,
    isByLink: row.linkId !== null,
    atCounter: row.returnUrl?.startsWith(`${deps.baseUrl}/pos/`) === true,
    due: amountsDue(deps, loaded),
    excess: readExcess(loaded),
    mayRequestExcess: mayRequest,
    excessRequest: request,
    moneyBack: moneyBack(loaded),
    explorers: row.mode === 'live' ? deps.payerExplorers : {},
    stamp: toStamp({ ...merchant, ...row }),
  };
}

/** Whether the payment has a receipt. */
export function hasReceipt({ payment, completedAt }: CheckoutView): boolean {
  return completedAt !== null && (payment.status === 'completed' || payment.status === 'refunded');
}

/** The current CheckoutView.stamp of many payments at once. */
export async function readStamps(
  db: Db,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await checkoutRows(db, paymentIds);
  return new Map(rows.map((row) => [row.id, toStamp(row)]));
}

function toStamp(row: Omit<CheckoutRow, 'id'>): string {
  const { status, exception, updatedAt, expiresAt, name, domainVerifiedAt } = row;
  return JSON.stringify([status, exception, updatedAt, expiresAt, name, domainVerifiedAt]);
}

/**
 * Leaves out sends that are only signed, because no explorer shows them, and failed ones, because they
 * returned nothing.
 */
function moneyBack({ refunds, row }: LoadedPayment): MoneyBack[] {
  return refunds.flatMap((refund) => {
    const { coin, amount, txid, status } = refund;
    const isTaken = status === 'broadcast' || status === 'confirmed';
    if (!isTaken || txid === null) return [];
    const isConfirmed = status === 'confirmed';
    const { fiatAmount } = presentRefund(refund, row);
    return [{ coin, amount: formatCoinAmount(BigInt(amount), coin), txid, isConfirmed, fiatAmount }];
  });
}

function amountsDue({ chains }: PresentDeps, { row, options, state }: LoadedPayment): AmountDue[] {
  const missing = missingShare(state);
  return COINS.flatMap((coin) => {
    const option = options.find((candidate) => candidate.coin === coin);
    if (option === undefined) return [];
    const { address } = option;
    const requestedAtoms = atomsToRequest(missing, {
      due: BigInt(option.amount),
      coinDecimals: COIN_DEFINITIONS[coin].decimals,
      toleranceBps: row.toleranceBps,
    });
    const adapter = chains.get(coin, row.mode);
    const uri = adapter === null ? null : adapter.paymentUri({ address, amount: requestedAtoms });
    return [{ coin, address, amount: formatCoinAmount(requestedAtoms, coin), uri }];
  });
}
