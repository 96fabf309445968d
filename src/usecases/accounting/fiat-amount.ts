import { type Coin } from '../../domain/coins.ts';
import { exchangeRate, formatFiat } from '../../domain/fiat.ts';
import { convertToMinor } from '../../domain/price.ts';

/**
 * The value of atoms at a price; null where no price was known. Rounded towards zero, as on the payment, so
 * that a line and its reversal add up to zero.
 */
export function fiatAmount(
  amount: bigint,
  coin: Coin,
  { currency, rate }: { readonly currency: string | null; readonly rate: string | null },
): string | null {
  if (currency === null || rate === null) return null;
  const worth = convertToMinor(amount < 0n ? -amount : amount, exchangeRate(rate, currency, coin));
  return formatFiat({ minor: amount < 0n ? -worth : worth, currency });
}
