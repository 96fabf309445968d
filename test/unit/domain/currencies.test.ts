import { expect, test } from 'vitest';
import { CURRENCIES, currencyDigits, minorUnitDigits } from '../../../src/domain/currencies.ts';
import { formatFiat, parseFiat } from '../../../src/domain/fiat.ts';

/** ISO 4217 list one, the codes whose minor unit is not 2, complete. */
const SPECIAL: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

test('CURRENCIES lists every currency whose minor unit is not a hundredth, and only those', () => {
  for (const [digits, codes] of Object.entries(SPECIAL)) {
    const known = CURRENCIES.filter((code) => currencyDigits(code) === Number(digits));
    expect(known).toEqual(codes.split(' '));
  }
  const others = CURRENCIES.filter((code) => currencyDigits(code) !== 2);
  expect(others).toHaveLength(Object.values(SPECIAL).join(' ').split(' ').length);
});

test('CURRENCIES lists each ISO 4217 code once', () => {
  expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length);
  for (const code of CURRENCIES) expect(code).toMatch(/^[A-Z]{3}$/);
});

test('CURRENCIES contains every currency that shops use today', () => {
  const shops =
    'USD EUR GBP CHF JPY CNY CAD AUD NZD SEK NOK DKK PLN CZK HUF RON TRY ILS AED SAR INR BRL MXN ARS CLP COP ' +
    'PEN ZAR NGN KES EGP MAD THB VND IDR MYR PHP SGD HKD TWD KRW UAH KZT GEL KWD BHD XCG ZWG SLE VES';
  for (const code of shops.split(' ')) expect(currencyDigits(code)).not.toBeNull();
});

test.each(['BTC', 'XAU', 'XXX', 'XTS', 'XDR', 'usd', 'EURO', '', 'HRK', 'DEM', 'BGN', 'constructor'])(
  'CURRENCIES does not contain "%s"',
  (code) => expect(currencyDigits(code)).toBeNull(),
);

test('minorUnitDigits keeps the digits of amounts that are stored in a withdrawn currency', () => {
  expect(minorUnitDigits('HRK')).toBe(2);
  expect(formatFiat(parseFiat('12.5', 'BGN'))).toBe('12.5');
  for (const code of CURRENCIES) expect(minorUnitDigits(code)).toBe(currencyDigits(code));
});

test('minorUnitDigits throws for a code that has never been a currency', () => {
  expect(() => minorUnitDigits('XXX')).toThrow('XXX');
});
