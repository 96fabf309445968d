import { COINS, type Coin } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import { parseFiat } from '../../../domain/fiat.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import type { RefundLinkStatus, ReopenedBy } from '../../../domain/payment/refund-link.ts';
import { remainingRefundable, refundableAtoms } from '../../../domain/payment/remaining-refundable.ts';
import { liveCredits, sumByCoin } from '../../../domain/payment/credits.ts';
import type { Rates } from '../../../domain/ports.ts';
import { atomsFor } from '../../../domain/price.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { parseSums } from '../../../store/payments/sum-columns.ts';
import { findPayment } from '../../../store/payments/payments.ts';
import { findRefundLinkByToken, type StoredRefundLink } from '../../../store/payments/refund-links.ts';
import { findSend } from '../../../store/sends/sends.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { tokenHash } from '../../accounts/index.ts';
import { type LoadedPayment, loadPayment, type LoadPaymentDeps } from '../../payments/index.ts';
import { exchangeRateFor } from '../refundable.ts';
import { remainingForClaim, remainingToClaim } from './remaining-claim.ts';
import { shopProfile, type ShopProfile } from '../../shops/index.ts';

/** A coin that the payer may choose, and the refund's amount in it. */
export interface ClaimOption {
  readonly coin: Coin;
  readonly atoms: bigint;
}

/** The view of a link for its holder. */
export interface PayerLink {
  /** `gone`: the money was returned in another way since; `waiting`: it currently lacks confirmations. */
  readonly status: RefundLinkStatus | 'gone' | 'waiting';
  readonly shop: ShopProfile;
  readonly sandbox: boolean;
  /** The order's label, else its id. */
  readonly order: string;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
  readonly needsApproval: boolean;
  readonly deductsFee: boolean;
  readonly expiresAt: number;
  /** The available choices; empty unless open. */
  readonly options: readonly ClaimOption[];
  readonly claim: PayerClaim | null;
  /** Why the last claim was dropped, while the link is open again. */
  readonly reopenedBy: ReopenedBy | null;
}

export interface PayerClaim {
  readonly coin: Coin;
  /** The arriving amount once known, else the amount before fees; decimal strings in the coin's unit. */
  readonly amount: string;
  readonly destination: string;
  readonly claimedAt: number;
  /** Set once a node accepted it. */
  readonly txid: string | null;
  readonly isConfirmed: boolean;
}

export interface ReadPayerLinkDeps extends LoadPaymentDeps {
  readonly db: Db;
  readonly rates: Rates;
}

/** The link of a token. @throws {AppError} LINK_NOT_FOUND */
export async function linkByToken(db: Db, token: string): Promise<StoredRefundLink> {
  const link = await findRefundLinkByToken(db, tokenHash(token));
  if (link === undefined) throw new AppError('LINK_NOT_FOUND', 'No such refund link');
  return link;
}

/**
 * Reads a link for its holder.
 * @throws {AppError} LINK_NOT_FOUND; RATE_UNAVAILABLE while its price is unknown
 */
export async function readPayerLink(
  deps: ReadPayerLinkDeps & { readonly now: number },
  token: string,
): Promise<PayerLink> {
  return presentPayerLink(deps, await linkByToken(deps.db, token));
}

/** A link as its payer sees it. @throws {AppError} RATE_UNAVAILABLE while its price is unknown */
export async function presentPayerLink(
  deps: ReadPayerLinkDeps & { readonly now: number },
  link: StoredRefundLink,
): Promise<PayerLink> {
  const { db, rates, now } = deps;
  if (link.rate === 'current' && link.status === 'open') await rates.ensure(link.currency);
  const row = await findPayment(db, link.paymentId);
  const merchant = await findMerchant(db, link.merchantId);
  if (row === undefined || merchant === undefined) throw new Error(`refund link ${link.id} has no payment`);
  const payment = await loadPayment(db, deps, row);
  const status = shownStatus(rates, link, payment, now);
  return {
    status,
    shop: shopProfile(merchant),
    sandbox: link.mode === 'sandbox',
    order: row.orderLabel ?? row.orderId,
    amount: link.amount,
    currency: link.currency,
    reason: link.reason,
    needsApproval: link.approval,
    deductsFee: link.deductFee,
    expiresAt: link.expiresAt,
    options: status === 'open' ? claimOptions(rates, link, payment) : [],
    claim: await findClaim(db, link),
    reopenedBy: status === 'open' ? link.reopenedBy : null,
  };
}

function shownStatus(
  rates: Pick<Rates, 'quote'>,
  link: StoredRefundLink,
  payment: LoadedPayment,
  now: number,
): PayerLink['status'] {
  if (link.status === 'open' && now >= link.expiresAt) return 'expired';
  const isUnsent = (link.status === 'claimed' || link.status === 'approved') && link.sendId === null;
  if (link.status === 'open') {
    if (claimOptions(rates, link, payment).length > 0) return 'open';
    return isUnsettled(link, payment) ? 'waiting' : 'gone';
  }
  if (!isUnsent || link.coin === null || link.claimed === null) return link.status;
  const claimed = BigInt(link.claimed);
  if (remainingForClaim(link, payment, link.coin) >= claimed) return link.status;
  if (remainingForClaim(link, payment, link.coin, { mayWait: true }) >= claimed) return 'waiting';
  return isUnsettled(link, payment) ? 'waiting' : 'gone';
}

/** Whether money of the link still exists but lost its confirmations, as in a reorg. */
function isUnsettled(link: StoredRefundLink, payment: LoadedPayment): boolean {
  // The excess depends on all received money.
  const coins = link.preset === 'excess' ? COINS : Object.keys(parseSums(link.amountsJson));
  const alive = sumByCoin(liveCredits(payment.state));
  return COINS.some((coin) => {
    if (!coins.includes(coin)) return false;
    return refundableAtoms(payment.state, coin) < (alive[coin] ?? 0n);
  });
}

/**
 * The current amount of a claim in each coin. The money that the link was created for must still be present
 * in full. At the current price it is the present equivalent of the fiat amount, at most the whole remainder.
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function claimOptions(
  rates: Pick<Rates, 'quote'>,
  link: StoredRefundLink,
  payment: LoadedPayment,
): ClaimOption[] {
  const sums = parseSums(link.amountsJson);
  return COINS.flatMap((coin) => {
    const promised = sums[coin];
    const left = promised === undefined ? 0n : remainingToClaim(link, payment, coin);
    if (promised === undefined || left <= 0n) return [];
    const wanted = link.rate === 'received' ? promised : boughtNow(rates, link, payment, coin);
    const needed = wanted < promised ? wanted : promised;
    if (wanted <= 0n || left < needed) return [];
    return [{ coin, atoms: wanted < left ? wanted : left }];
  });
}

function boughtNow(
  rates: Pick<Rates, 'quote'>,
  link: StoredRefundLink,
  payment: LoadedPayment,
  coin: Coin,
): bigint {
  const minorUnits = parseFiat(link.amount, link.currency).minor;
  return atomsFor(
    minorUnits,
    exchangeRateFor(rates, payment, remainingRefundable(payment.state, coin, { mayWait: true }), 'current'),
  );
}

async function findClaim(db: Db, link: StoredRefundLink): Promise<PayerClaim | null> {
  const { coin, claimed, destination, claimedAt, sendId } = link;
  if (coin === null || claimed === null || destination === null || claimedAt === null) return null;
  const send = sendId === null ? undefined : await findSend(db, sendId);
  const isTaken = send?.status === 'broadcast' || send?.status === 'confirmed';
  return {
    coin,
    amount: formatCoinAmount(BigInt(send?.amount ?? claimed), coin),
    destination,
    claimedAt,
    txid: isTaken ? send.txid : null,
    isConfirmed: send?.status === 'confirmed',
  };
}
