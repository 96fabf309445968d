import { describe, expect, test } from 'vitest';
import { parseFixedRates } from '../../../src/domain/fixed-rates.ts';

describe('parseFixedRates', () => {
  test('reads dollars per coin, and units of each currency per dollar', () => {
    expect(parseFixedRates('BTC=100000, LTC=100 ,ETH=4000.5,SOL=200,USD/EUR=0.92')).toEqual({
      usdPerCoin: { BTC: '100000', LTC: '100', ETH: '4000.5', SOL: '200' },
      perUsd: { EUR: '0.92' },
    });
  });

  test.each([
    ['BTC', '"BTC"'],
    ['BTC=1=2', '"BTC=1=2"'],
    ['BTC=100000,DOGE=1', '"DOGE=1"'],
    ['BTC=0', '"BTC=0"'],
    ['BTC=-1', '"BTC=-1"'],
    ['BTC=1e5', '"BTC=1e5"'],
    ['BTC=1,BTC=2', '"BTC" occurs twice'],
    ['USD/XYZ=1', '"USD/XYZ=1"'],
    ['USD/USD=1', '"USD/USD=1"'],
    ['EUR/USD=1', '"EUR/USD=1"'],
    ['USD/EUR=1,USD/EUR=1', '"USD/EUR" occurs twice'],
    ['', '""'],
    ['BTC=1,', '""'],
  ])('names the invalid part of "%s"', (text, part) => {
    expect(() => parseFixedRates(text)).toThrow(part);
  });
});
