import { asCoin, COINS, type Coin } from './coins.ts';
import { currencyDigits } from './currencies.ts';

/** Prices that do not move: US dollars per coin, and units of other currencies per US dollar. */
export interface FixedRates {
  readonly usdPerCoin: Readonly<Partial<Record<Coin, string>>>;
  readonly perUsd: Readonly<Record<string, string>>;
}

/** Thrown for an invalid part of the text; names that part. */
export class FixedRatesError extends Error {
  override name = 'FixedRatesError';
}

const POSITIVE_DECIMAL = /^(?=.{1,40}$)(?=.*[1-9])\d+(\.\d+)?$/;

/**
 * Reads `BTC=100000,LTC=100,USD/EUR=0.92`: dollars per coin, and units of a fiat currency per dollar.
 * @throws {FixedRatesError} naming the invalid part.
 */
export function parseFixedRates(text: string): FixedRates {
  const pairs = text.split(',').map((part): [string, string] => {
    const [name = '', ...values] = part.split('=');
    if (values.length !== 1) {
      throw new FixedRatesError(`"${part.trim()}" is not NAME=PRICE, such as BTC=100000 or USD/EUR=0.92`);
    }
    return [name.trim(), values.join('').trim()];
  });
  return fixedRates(pairs);
}

/**
 * Builds fixed rates from name and price pairs.
 * @throws {FixedRatesError} naming the invalid pair.
 */
export function fixedRates(pairs: readonly (readonly [name: string, price: string])[]): FixedRates {
  const usdPerCoin: Partial<Record<Coin, string>> = {};
  const perUsd: Record<string, string> = {};
  for (const [name, price] of pairs) {
    if (!POSITIVE_DECIMAL.test(price)) {
      throw new FixedRatesError(`"${name}=${price}": the price must be a positive decimal number`);
    }
    const coin = asCoin(name);
    const currency = /^USD\/([A-Z]{3})$/.exec(name)?.[1];
    if (coin !== null) {
      if (usdPerCoin[coin] !== undefined) throw new FixedRatesError(`"${name}" occurs twice`);
      usdPerCoin[coin] = price;
    } else if (currency !== undefined && currency !== 'USD' && currencyDigits(currency) !== null) {
      if (perUsd[currency] !== undefined) throw new FixedRatesError(`"${name}" occurs twice`);
      perUsd[currency] = price;
    } else {
      throw new FixedRatesError(
        `"${name}=${price}": the name must be ${COINS.join(', ')}, or USD/ and a currency code such as USD/EUR`,
      );
    }
  }
  return { usdPerCoin, perUsd };
}
