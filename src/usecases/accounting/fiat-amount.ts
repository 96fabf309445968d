import { type Coin } from '../../domain/coins.ts';
import { exchangeRate, formatFiat } from '../../domain/fiat.ts';
import { convertToMinor } from '../../domain/price.ts';

interface Price {
  readonly currency: string | null;
  readonly rate: string | null;
}

/**
 * The value of atoms at a price, in minor units; null where no price was known. Rounded towards zero, as on the
 * payment, so that a line and its reversal add up to zero.
 */
export function fiatMinor(amount: bigint, coin: Coin, { currency, rate }: Price): bigint | null {
  if (currency === null || rate === null) return null;
  const worth = convertToMinor(amount < 0n ? -amount : amount, exchangeRate(rate, currency, coin));
  return amount < 0n ? -worth : worth;
}

/** The same value as a decimal string. */
export function fiatAmount(amount: bigint, coin: Coin, price: Price): string | null {
  const minor = fiatMinor(amount, coin, price);
  return minor === null || price.currency === null ? null : formatFiat({ minor, currency: price.currency });
}
