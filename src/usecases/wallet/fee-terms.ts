import type { FeeQuote, SendPlan } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import {
  AmountError,
  formatCoinAmount,
  formatDecimal,
  parseCoinAmount,
  parseDecimal,
} from '../../domain/money.ts';

/** Units in which a merchant gives a fee rate, and how many decimals make it one per 1,000 units of size. */
const RATE_UNITS: Readonly<
  Record<Coin, { readonly unit: string; readonly decimals: number; readonly per: bigint }>
> = {
  BTC: { unit: 'satoshi per vB', decimals: 3, per: 1n },
  LTC: { unit: 'litoshi per vB', decimals: 3, per: 1n },
  ETH: { unit: 'gwei', decimals: 12, per: 1n },
  // Millionths of a lamport per unit → lamports per 1,000 units.
  SOL: { unit: 'micro-lamports per compute unit', decimals: 0, per: 1_000n },
};

/** A fee rate as given → atoms per 1,000 units of size. @throws {AppError} VALIDATION_INVALID naming `feeRate`. */
export function readFeeRate(text: string | undefined, coin: Coin): bigint | null {
  if (text === undefined) return null;
  const { decimals, per, unit } = RATE_UNITS[coin];
  try {
    const rate = (parseDecimal(text.trim(), decimals) + per - 1n) / per;
    if (rate > 0n) return rate;
  } catch (error) {
    if (error instanceof AmountError) throw invalidField('feeRate', `${error.message} (in ${unit})`);
    throw error;
  }
  throw invalidField('feeRate', 'must be greater than zero');
}

/** The most that a send may cost → atoms. @throws {AppError} VALIDATION_INVALID naming `maxFee`. */
export function readMaxFee(text: string | undefined, coin: Coin): bigint | null {
  if (text === undefined) return null;
  try {
    const fee = parseCoinAmount(text.trim(), coin);
    if (fee > 0n) return fee;
  } catch (error) {
    if (error instanceof AmountError) throw invalidField('maxFee', error.message);
    throw error;
  }
  throw invalidField('maxFee', 'must be greater than zero');
}

/** The quote at the rate that the merchant asks for. @throws {AppError} VALIDATION_INVALID outside of what is taken. */
export function atRate(quote: FeeQuote, rate: bigint | null, coin: Coin): FeeQuote {
  if (rate === null) return quote;
  const { minimum, maximum } = quote;
  if (minimum !== undefined && rate < minimum) {
    throw invalidField('feeRate', `the network takes nothing below ${showRate(minimum, coin)} at the moment`);
  }
  if (maximum !== undefined && rate > maximum) {
    throw invalidField('feeRate', `is above the configured cap of ${showRate(maximum, coin)}`);
  }
  return { ...quote, rate, source: 'order' };
}

/** @throws {AppError} FEE_ABOVE_LIMIT */
export function requireWithin(limit: bigint | null, plan: Pick<SendPlan, 'fee'>, coin: Coin): void {
  if (limit === null || plan.fee <= limit) return;
  throw feeAboveLimit(plan.fee, limit, coin);
}

export function feeAboveLimit(fee: bigint, limit: bigint, coin: Coin): AppError {
  const [asked, most] = [fee, limit].map((atoms) => `${formatCoinAmount(atoms, coin)} ${coin}`);
  return new AppError('FEE_ABOVE_LIMIT', `the network fee of ${asked} is above the limit of ${most}`);
}

function showRate(rate: bigint, coin: Coin): string {
  const { decimals, per, unit } = RATE_UNITS[coin];
  return `${formatDecimal(rate * per, decimals)} ${unit}`;
}
