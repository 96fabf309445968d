import fc from 'fast-check';
import { expect, it } from 'vitest';
import { currencyDigits, formatMinor, parseMinor, roundFiat } from '../../../packages/sdk/src/index.ts';
import { CURRENCIES, currencyDigits as daemonDigits } from '../../../src/domain/currencies.ts';
import { parseUnits } from '../../../src/domain/money.ts';

const CURRENCY = fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF', 'VND', 'USD');
const NEEDLESS_DECIMALS = fc
  .array(fc.integer({ min: 0, max: 9 }), { maxLength: 8 })
  .map((all) => all.join(''));

it('currencyDigits of the SDK equals that of the daemon for every currency', () => {
  for (const code of CURRENCIES) expect([code, currencyDigits(code)]).toEqual([code, daemonDigits(code)]);
  expect([currencyDigits('eur'), currencyDigits('jpy'), currencyDigits('Clf')]).toEqual([2, 0, 4]);
});

it.each(['BTC', '', 'EURO', 'XAU', 'constructor'])('currencyDigits rejects "%s"', (code) => {
  expect(() => currencyDigits(code)).toThrow(RangeError);
});

it.each([
  ['24.9', 'EUR', '24.90'],
  ['24.900', 'EUR', '24.90'],
  ['10.005', 'EUR', '10.01'],
  ['10.0049999', 'EUR', '10.00'],
  ['0.999', 'USD', '1.00'],
  ['99999.995', 'EUR', '100000.00'],
  ['007.1', 'EUR', '7.10'],
  ['1990.00', 'JPY', '1990'],
  ['1990.5', 'JPY', '1991'],
  ['0.4', 'JPY', '0'],
  ['1.2345', 'KWD', '1.235'],
  ['1.23', 'CLF', '1.2300'],
])('roundFiat rounds %s %s to %s', (amount, currency, shown) => {
  expect(roundFiat(amount, currency)).toBe(shown);
});

it.each(['', '-1', '1,5', '1.', '.5', '1e3', ' 1', 'NaN', '9'.repeat(65)])(
  'parseMinor and formatMinor reject "%s"',
  (amount) => {
    expect(() => roundFiat(amount, 'EUR')).toThrow(RangeError);
    expect(() => parseMinor(amount, 'EUR')).toThrow(RangeError);
  },
);

it('parseMinor parses exactly, and rejects more decimals than the currency has', () => {
  expect(parseMinor('24.9000', 'EUR')).toBe(2490n);
  expect(parseMinor('1990.0', 'JPY')).toBe(1990n);
  expect(() => parseMinor('24.901', 'EUR')).toThrow(RangeError);
  expect(() => parseMinor('0.5', 'JPY')).toThrow(RangeError);
});

it.each([-1, -1n, 0.5, Number.NaN, 2 ** 60])('formatMinor rejects %s', (minor) => {
  expect(() => formatMinor(minor, 'EUR')).toThrow(RangeError);
});

it('formatMinor and parseMinor are inverse, and parseMinor returns the value that the daemon parses', () => {
  fc.assert(
    fc.property(CURRENCY, fc.bigInt({ min: 0n, max: 10n ** 18n }), (currency, minor) => {
      const text = formatMinor(minor, currency);
      expect(parseMinor(text, currency)).toBe(minor);
      expect(parseUnits(text, currencyDigits(currency))).toBe(minor);
      expect(roundFiat(text, currency)).toBe(text);
    }),
  );
});

it('roundFiat is never more than half a minor unit off, and rounds half up', () => {
  fc.assert(
    fc.property(
      CURRENCY,
      fc.bigInt({ min: 0n, max: 10n ** 15n }),
      NEEDLESS_DECIMALS,
      (currency, whole, fraction) => {
        const amount = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
        const exact = parseUnits(amount, 12);
        const unit = 10n ** BigInt(12 - currencyDigits(currency));
        const rounded = parseMinor(roundFiat(amount, currency), currency) * unit;
        expect(rounded - exact <= unit / 2n && exact - rounded < (unit + 1n) / 2n).toBe(true);
      },
    ),
  );
});
