import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateCache } from '../../../src/rates/cache.ts';
import { CURRENCIES } from '../../../src/domain/currencies.ts';

const HOUR = 3_600_000;

test('RateCache keeps dollars, euros and at most 40 other currencies, the most recently used ones', () => {
  const cache = new RateCache();
  CURRENCIES.forEach((currency, at) => cache.touch(currency, at));
  const kept = cache.currencies(CURRENCIES.length);
  expect(kept).toHaveLength(42);
  expect(kept).toEqual(expect.arrayContaining(['USD', 'EUR', ...CURRENCIES.slice(-30)]));
});

test('RateCache never evicts a pinned currency or its prices, whatever else is requested, however often', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...CURRENCIES), { maxLength: 60 }),
      fc.array(fc.constantFrom(...CURRENCIES), { maxLength: 400 }),
      (pinned, asked) => {
        const cache = new RateCache();
        cache.pin(pinned, 0);
        for (const currency of pinned) {
          cache.store('kraken', [{ coin: 'BTC', currency, rate: '1', at: null }], 0);
        }
        asked.forEach((currency, at) => cache.touch(currency, at));
        const kept = cache.currencies(30 * 24 * HOUR);
        expect(kept).toEqual(expect.arrayContaining(pinned));
        for (const currency of pinned) expect(cache.fresh('BTC', currency, 0)).toHaveLength(1);
        const others = cache.currencies(0).filter((currency) => !pinned.includes(currency));
        expect(others.length).toBeLessThanOrEqual(42);
      },
    ),
  );
});

test('RateCache keeps a currency for a day after the last shop or payment stopped using it', () => {
  const cache = new RateCache();
  cache.pin(['THB'], 0);
  cache.pin([], HOUR);
  expect(cache.isPinned('THB')).toBe(false);
  expect(cache.currencies(25 * HOUR)).toContain('THB');
  expect(cache.currencies(25 * HOUR + 1)).not.toContain('THB');
});

test('RateCache drops a currency and its prices after a day without requests', () => {
  const cache = new RateCache();
  cache.touch('THB', 0);
  cache.store('kraken', [{ coin: 'BTC', currency: 'THB', rate: '1', at: null }], 0);
  expect(cache.currencies(24 * HOUR)).toContain('THB');
  expect(cache.currencies(24 * HOUR + 1)).toEqual(['USD', 'EUR']);
  expect(cache.fresh('BTC', 'THB', 0)).toEqual([]);
});

test('RateCache stores no prices of currencies that were not requested', () => {
  const cache = new RateCache();
  cache.store('coinbase', [{ coin: 'BTC', currency: 'THB', rate: '1', at: null }], 0);
  cache.touch('THB', 0);
  expect(cache.fresh('BTC', 'THB', 0)).toEqual([]);
});

test('RateCache takes the time of a price from its source, but never one in the future', () => {
  const cache = new RateCache();
  const price = { coin: 'BTC' as const, currency: 'USD', rate: '1' };
  cache.store('old', [{ ...price, at: 10 }], 100);
  cache.store('ahead', [{ ...price, at: 900 }], 100);
  cache.store('silent', [{ ...price, at: null }], 100);
  expect(cache.fresh('BTC', 'USD', 0).map(({ source, at }) => [source, at])).toEqual([
    ['old', 10],
    ['ahead', 100],
    ['silent', 100],
  ]);
  expect(cache.fresh('BTC', 'USD', 50).map(({ source }) => source)).toEqual(['ahead', 'silent']);
});
