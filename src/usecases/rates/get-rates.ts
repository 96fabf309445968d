import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { RateQuote, Rates } from '../../domain/ports.ts';

export interface GetRatesDeps {
  readonly rates: Rates;
}

/**
 * The current price of one whole coin, for every coin with a known price.
 * @throws {AppError} RATE_UNAVAILABLE when none has one
 */
export async function getRates(
  deps: GetRatesDeps,
  input: { readonly currency: string; readonly mode: Mode },
): Promise<Partial<Record<Coin, RateQuote>>> {
  const { currency, mode } = input;
  await deps.rates.ensure(currency);
  const known = COINS.flatMap((coin): [Coin, RateQuote][] => {
    const quote = quoteOrNull(deps.rates, coin, currency, mode);
    return quote === null ? [] : [[coin, quote]];
  });
  if (known.length > 0) return Object.fromEntries(known);
  throw new AppError('RATE_UNAVAILABLE', `No current price in ${currency} is known; try again later`);
}

function quoteOrNull(rates: Rates, coin: Coin, currency: string, mode: Mode): RateQuote | null {
  try {
    return rates.quote(coin, currency, mode);
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_UNAVAILABLE') return null;
    throw error;
  }
}
