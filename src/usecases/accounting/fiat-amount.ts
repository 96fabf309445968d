import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { formatDecimal } from '../../domain/money.ts';
import { convertToMinor, exchangeRateFrom } from '../../domain/price.ts';

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
  const digits = currencyDigits(currency) ?? 0;
  const worth = convertToMinor(
    amount < 0n ? -amount : amount,
    exchangeRateFrom(rate, digits, COIN_DEFINITIONS[coin].decimals),
  );
  return formatDecimal(amount < 0n ? -worth : worth, digits);
}
