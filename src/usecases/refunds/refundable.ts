import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { formatCoinAmount, formatDecimal, parseDecimal } from '../../domain/money.ts';
import { liveCredits } from '../../domain/payment/machine.ts';
import type { RefundRate } from '../../domain/payment/refund-link.ts';
import { receivedWorth, refundableMoney } from '../../domain/payment/refunds.ts';
import type { Rates } from '../../domain/ports.ts';
import { atomsFor, valueOf, worthAt, type Worth } from '../../domain/price.ts';
import { unsentClaims, type UnsentClaim } from '../../store/payments/refund-links.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { loadPayment, type LoadedPayment } from '../payments/load-payment.ts';
import type { StoredPayment } from '../../store/payments/payments.ts';

/** A payment with all that gives its money back, made or promised. */
export interface RefundablePayment extends LoadedPayment {
  /** Of links that were claimed and have no send yet. */
  readonly claims: readonly UnsentClaim[];
}

/** Reads a payment for a refund. Inside a transaction what it says holds until its end. */
export async function loadRefundable(db: Db, row: StoredPayment): Promise<RefundablePayment> {
  return { ...(await loadPayment(db, row)), claims: await unsentClaims(db, row.id) };
}

/**
 * Atoms of a coin that can still be given back: what was received for good, less what refunds and claims took. Refunds
 * that failed for good take nothing.
 * @param ownLink whose claim is not counted: the one that is to be paid
 */
export function leftToRefund(payment: RefundablePayment, coin: Coin, ownLink: string | null = null): bigint {
  const { refundedAt, refundedBy } = payment.state;
  const since = refundedBy === 'merchant' ? (refundedAt ?? 0) : 0;
  const taken = payment.refunds
    .filter((refund) => refund.coin === coin && refund.status !== 'failed' && refund.created_at >= since)
    .reduce((sum, refund) => sum + BigInt(refund.refunded), 0n);
  const claimed = payment.claims
    .filter((claim) => claim.coin === coin && claim.id !== ownLink)
    .reduce((sum, claim) => sum + BigInt(claim.claimed), 0n);
  return refundableMoney(payment.state, coin) - taken - claimed;
}

/**
 * When a refund counts as made: after a return elsewhere that was recorded before, though the clock may have been set
 * back since.
 */
export function refundTime(
  { refunded_at: returnedAt, refunded_by: by }: StoredPayment,
  sentAt: number,
): number {
  return Math.max(sentAt, by === 'merchant' ? (returnedAt ?? 0) : 0);
}

/** Why nothing of a coin can be given back. */
export function nothingLeft(payment: RefundablePayment, coin: Coin): AppError {
  if (payment.state.refundedBy === 'merchant') {
    return new AppError('INVALID_STATE', 'This payment is recorded as refunded elsewhere');
  }
  const settled = refundableMoney(payment.state, coin);
  const live = liveCredits(payment.state).some((credit) => credit.coin === coin);
  if (live && settled === 0n) {
    return new AppError('INVALID_STATE', `The ${coin} of this payment has not all its confirmations yet`);
  }
  return new AppError('INVALID_STATE', `No ${coin} of this payment is left to refund`);
}

/** @throws {AppError} VALIDATION_INVALID naming `amount` when it is more than what is left */
export function requireLeft(
  asked: bigint,
  left: bigint,
  of: { readonly coin: Coin; readonly payment: RefundablePayment; readonly worth: Worth | null },
): bigint {
  const { coin, payment, worth } = of;
  if (asked <= left) return asked;
  const value = worth === null ? '' : ` (${showFiat(valueOf(left, worth), payment.row.currency)})`;
  throw invalidField(
    'amount',
    `at most ${formatCoinAmount(left, coin)} ${coin}${value} can still be refunded`,
  );
}

function showFiat(minorUnits: bigint, currency: string): string {
  return `${formatDecimal(minorUnits, currencyDigits(currency) ?? 0)} ${currency}`;
}

/**
 * What a coin of a payment is worth in the payment's currency: as it was received, or now.
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function worthOf(
  rates: Pick<Rates, 'quote'>,
  payment: LoadedPayment,
  coin: Coin,
  rate: RefundRate,
): Worth {
  if (rate === 'received') return worthOnArrival(payment, coin);
  const { currency, mode } = payment.row;
  const { decimals } = COIN_DEFINITIONS[coin];
  return worthAt(rates.quote(coin, currency, mode).rate, currencyDigits(currency) ?? 0, decimals);
}

/** @throws {AppError} RATE_UNAVAILABLE */
export function worthOnArrival(payment: LoadedPayment, coin: Coin): Worth {
  const { amount, currency } = payment.row;
  const worth = receivedWorth(payment.state, coin, parseDecimal(amount, currencyDigits(currency) ?? 0));
  if (worth !== null) return worth;
  throw new AppError(
    'RATE_UNAVAILABLE',
    `The rate at which the ${coin} came is not known yet; try again later`,
  );
}

/** A fiat amount as ordered, in minor units. @throws {AppError} VALIDATION_INVALID naming `currency` or `amount` */
export function readFiat(
  asked: { readonly amount: string; readonly currency: string },
  payment: LoadedPayment,
): bigint {
  const { currency } = payment.row;
  if (asked.currency !== currency) {
    throw invalidField('currency', `must be ${currency}, the currency of the payment`);
  }
  return parseDecimal(asked.amount, currencyDigits(currency) ?? 0);
}

/** Whole atoms for a fiat amount, rounded down. @throws {AppError} VALIDATION_INVALID when that is none */
export function toAtoms(minorUnits: bigint, worth: Worth, coin: Coin): bigint {
  const atoms = atomsFor(minorUnits, worth);
  if (atoms > 0n) return atoms;
  throw invalidField('amount', `is less than the smallest unit of ${coin}`);
}
