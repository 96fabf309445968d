import { Big } from 'big.js';
import type { Coin } from '../domain/coins.ts';
import { AppError } from '../domain/errors.ts';
import type { FixedRates } from '../domain/fixed-rates.ts';
import type { RateQuote } from '../domain/ports.ts';

/**
 * A quote from fixed prices: dollars per coin times units per dollar, exactly.
 * @throws {AppError} RATE_UNAVAILABLE for a coin or a currency the table does not have.
 */
export function fixedQuote(fixed: FixedRates, coin: Coin, currency: string, at: number): RateQuote {
  const usd = fixed.usdPerCoin[coin];
  const perUsd = currency === 'USD' ? '1' : fixed.perUsd[currency];
  if (usd === undefined || perUsd === undefined) throw rateUnavailable(coin, currency);
  return { coin, currency, rate: new Big(usd).times(perUsd).toFixed(), sources: ['fixed'], at };
}

export function rateUnavailable(coin: Coin, currency: string): AppError {
  return new AppError(
    'RATE_UNAVAILABLE',
    `No current price of ${coin} in ${currency} is known; try again later`,
  );
}
