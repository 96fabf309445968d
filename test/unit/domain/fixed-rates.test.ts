import { describe, expect, test } from 'vitest';
import { requiredConfirmations } from '../../../src/domain/confirmations.ts';
import { parseFixedRates } from '../../../src/domain/fixed-rates.ts';

describe('parseFixedRates', () => {
  test('reads dollars per coin and currencies per dollar', () => {
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
    ['BTC=1,BTC=2', '"BTC" is given twice'],
    ['USD/XYZ=1', '"USD/XYZ=1"'],
    ['USD/USD=1', '"USD/USD=1"'],
    ['EUR/USD=1', '"EUR/USD=1"'],
    ['USD/EUR=1,USD/EUR=1', '"USD/EUR" is given twice'],
    ['', '""'],
    ['BTC=1,', '""'],
  ])('names what is wrong in "%s"', (text, part) => {
    expect(() => parseFixedRates(text)).toThrow(part);
  });
});

describe('requiredConfirmations', () => {
  const policy = {
    base: 2,
    tiers: [
      { fromAtoms: 50n, confirmations: 3 },
      { fromAtoms: 500n, confirmations: 6 },
    ],
  };

  test.each([
    [0n, 2],
    [49n, 2],
    [50n, 3],
    [499n, 3],
    [500n, 6],
    [10n ** 20n, 6],
  ])('%i atoms need %i', (atoms, needed) => expect(requiredConfirmations(policy, atoms)).toBe(needed));
});
