import { expect, it } from 'vitest';
import { fiat } from '../../../src/http/checkout/format.ts';

it.each([
  ['1234.50', 'HUF', '1,234.50'],
  ['1234.567', 'IQD', '1,234.567'],
  ['49.90', 'EUR', '49.90'],
  ['1990', 'JPY', '1,990'],
  ['0.050', 'KWD', '0.050'],
])('the checkout shows %s %s with all decimals of the currency', (amount, currency, shown) => {
  expect(fiat(amount, currency, 'en')).toContain(shown);
  expect(fiat(amount, currency, 'en')).not.toContain(`${shown}0`);
});
