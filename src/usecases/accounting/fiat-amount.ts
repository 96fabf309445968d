import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { formatDecimal } from '../../domain/money.ts';
import { convertToMinor, exchangeRateFrom } from '../../domain/price.ts';

/**
 * What atoms were worth at a price; null where none was known. Rounded towards zero, as the payment shows it: a line and
 * the one that takes it back add up to nothing.
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
