import type { FeeQuote } from '../../../domain/chain.ts';
import { COIN_DEFINITIONS, type Coin } from '../../../domain/coins.ts';
import { invalidField } from '../../../domain/errors.ts';
import { AmountError, formatUnits, parseCoinAmount, parseUnits } from '../../../domain/money.ts';

/** Fee rate as given by the caller → atoms per 1,000 units of size. @throws {AppError} VALIDATION_INVALID naming `feeRate`. */
export function readFeeRate(text: string | undefined, coin: Coin): bigint | null {
  if (text === undefined) return null;
  const { decimals, perRate, name } = COIN_DEFINITIONS[coin].feeUnit;
  try {
    const rate = (parseUnits(text.trim(), decimals) + perRate - 1n) / perRate;
    if (rate > 0n) return rate;
  } catch (error) {
    if (error instanceof AmountError) throw invalidField('feeRate', `${error.message} (in ${name})`);
    throw error;
  }
  throw invalidField('feeRate', 'must be greater than zero');
}

/** Upper limit of a send's fee → atoms. @throws {AppError} VALIDATION_INVALID naming `maxFee`. */
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

/** The quote at the merchant's own rate. @throws {AppError} VALIDATION_INVALID outside the accepted range. */
export function atRate(quote: FeeQuote, rate: bigint | null, coin: Coin): FeeQuote {
  if (rate === null) return quote;
  const { minimum, maximum } = quote;
  if (minimum !== undefined && rate < minimum) {
    throw invalidField('feeRate', `the network's minimum is currently ${showRate(minimum, coin)}`);
  }
  if (maximum !== undefined && rate > maximum) {
    throw invalidField('feeRate', `is above the configured cap of ${showRate(maximum, coin)}`);
  }
  return { ...quote, rate, source: 'order' };
}

function showRate(rate: bigint, coin: Coin): string {
  const { decimals, perRate, name } = COIN_DEFINITIONS[coin].feeUnit;
  return `${formatUnits(rate * perRate, decimals)} ${name}`;
}
