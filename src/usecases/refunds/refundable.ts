import { type Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { exchangeRate, formatFiat, parseFiat, type Fiat } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { liveCredits } from '../../domain/payment/payment-machine.ts';
import type { RefundRate } from '../../domain/payment/refund-link.ts';
import {
  remainingRefundable,
  refundableAtoms,
  refundValue,
  type RemainingRefundable,
} from '../../domain/payment/remaining-refundable.ts';
import type { RefundValue } from '../../domain/payment/refund-value.ts';
import type { Rates } from '../../domain/ports.ts';
import { atomsFor, convertToMinor, type ExchangeRate } from '../../domain/price.ts';
import type { LoadedPayment } from '../payments/index.ts';

/** Why nothing of a coin is refundable. */
export function nothingRefundable(payment: LoadedPayment, coin: Coin): AppError {
  if (payment.state.refundedBy === 'merchant') {
    return new AppError('INVALID_STATE', 'This payment is recorded as refunded elsewhere');
  }
  const deep = refundableAtoms(payment.state, coin);
  const hasMore = remainingRefundable(payment.state, coin, { mayWait: true }).atoms > 0n;
  const live = liveCredits(payment.state).some((credit) => credit.coin === coin);
  if (hasMore || (live && deep <= 0n)) {
    return new AppError('INVALID_STATE', `The ${coin} of this payment lacks confirmations`);
  }
  return new AppError('INVALID_STATE', `No ${coin} of this payment can be refunded any more`);
}

/** @throws {AppError} VALIDATION_INVALID naming `amount` when it exceeds the refundable amount */
export function requireRefundable(
  atoms: bigint,
  left: bigint,
  of: { readonly coin: Coin; readonly payment: LoadedPayment; readonly worth: ExchangeRate | null },
): bigint {
  const { coin, payment, worth } = of;
  if (atoms <= left) return atoms;
  const value =
    worth === null
      ? ''
      : ` (${showFiat({ minor: convertToMinor(left, worth), currency: payment.row.currency })})`;
  throw invalidField(
    'amount',
    `at most ${formatCoinAmount(left, coin)} ${coin}${value} can still be refunded`,
  );
}

function showFiat(fiat: Fiat): string {
  return `${formatFiat(fiat)} ${fiat.currency}`;
}

/**
 * The value of a payment's coin in the payment's currency: at receipt, or now.
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function exchangeRateFor(
  rates: Pick<Rates, 'quote'>,
  payment: LoadedPayment,
  left: RemainingRefundable,
  rate: RefundRate,
): ExchangeRate {
  const { coin } = left;
  if (rate === 'received') return receivedRate(payment, left);
  const { currency, mode } = payment.row;
  return exchangeRate(rates.quote(coin, currency, mode).rate, currency, coin);
}

/** @throws {AppError} RATE_UNAVAILABLE */
export function receivedRate(payment: LoadedPayment, left: RemainingRefundable): ExchangeRate {
  if (left.worth === null) throw rateUnknown(left.coin);
  const { atoms, share } = left.worth;
  return { atoms: atoms * share.denominator, minorUnits: payment.price.minor * share.numerator };
}

/**
 * Checks that the value of the atoms at receipt is known: otherwise they are refundable only as coins.
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function requireKnownRate({ coin, atoms: left, unpriced }: RemainingRefundable, atoms: bigint): void {
  if (atoms <= left && atoms > left - unpriced) throw rateUnknown(coin);
}

function rateUnknown(coin: Coin): AppError {
  return new AppError(
    'RATE_UNAVAILABLE',
    `The rate of the received ${coin} is not known yet; try again later`,
  );
}

/**
 * The share of the price that a refund returns: see `valueGiven`. @param fiat minor units that are returned
 * at the current rate
 */
export function refundShare(
  payment: LoadedPayment,
  left: RemainingRefundable,
  atoms: bigint,
  fiat: bigint | null,
): RefundValue {
  const unit = { numerator: 1n, denominator: payment.price.minor };
  return refundValue(left, atoms, fiat === null ? null : { given: { ...unit, numerator: fiat }, unit });
}

/** A fiat amount as ordered, in minor units. @throws {AppError} VALIDATION_INVALID naming `currency` or `amount` */
export function readFiat(
  price: { readonly amount: string; readonly currency: string },
  payment: LoadedPayment,
): bigint {
  const { currency } = payment.row;
  if (price.currency !== currency) {
    throw invalidField('currency', `must be ${currency}, the currency of the payment`);
  }
  return parseFiat(price.amount, currency).minor;
}

/** Whole atoms for a fiat amount, rounded down. @throws {AppError} VALIDATION_INVALID when that is zero */
export function toAtoms(minorUnits: bigint, worth: ExchangeRate, coin: Coin): bigint {
  const atoms = atomsFor(minorUnits, worth);
  if (atoms > 0n) return atoms;
  throw invalidField('amount', `is less than the smallest unit of ${coin}`);
}
