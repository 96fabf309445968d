import type { Coin, Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { RateQuote, Rates } from '../../domain/ports.ts';

/** Current rates apply to events within this time; older events have no known rate. */
export const RATE_HOLDS_MS = 3_600_000;

/** The current rate; null while none is available. Payments are recorded even without a rate. */
export function quoteOrNull(
  { rates }: { readonly rates: Pick<Rates, 'quote'> },
  { currency, mode }: { readonly currency: string; readonly mode: Mode },
  coin: Coin,
): RateQuote | null {
  try {
    return rates.quote(coin, currency, mode);
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_UNAVAILABLE') return null;
    throw error;
  }
}
