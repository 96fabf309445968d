import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RateSource } from '../../../src/rates/source.ts';
import { bitstamp } from '../../../src/rates/sources/bitstamp.ts';
import { coinbase } from '../../../src/rates/sources/coinbase.ts';
import { coingecko } from '../../../src/rates/sources/coingecko.ts';
import { kraken } from '../../../src/rates/sources/kraken.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8');
const prices = (source: RateSource, name: string) =>
  Object.fromEntries(
    source.parse(fixture(name)).map(({ coin, currency, rate }) => [`${coin}/${currency}`, rate]),
  );
const requests = (source: RateSource, currencies: string[]) =>
  source.requests(currencies).map(({ href }) => href);

describe('kraken rate source', () => {
  test('reads currency pairs with old and new names', () => {
    expect(prices(kraken(), 'kraken-usd')).toEqual({
      'BTC/USD': '65231.9',
      'ETH/USD': '1965.4',
      'LTC/USD': '98.1',
      'SOL/USD': '153.41',
    });
    // The last trade in BTC/CHF is below the bid.
    expect(prices(kraken(), 'kraken-chf')).toEqual({ 'BTC/CHF': '52185.5', 'ETH/CHF': '1572.32' });
  });

  test.each([
    ['between bid and ask', { b: ['99'], a: ['101'], c: ['100'] }, '100'],
    ['below the bid, from before the price rose', { b: ['99'], a: ['101'], c: ['60'] }, '99'],
    ['above the ask, from before the price fell', { b: ['99'], a: ['101'], c: ['150'] }, '101'],
    ['in an order book with too wide a spread', { b: ['90'], a: ['101'], c: ['100'] }, undefined],
    ['in a crossed order book', { b: ['101'], a: ['99'], c: ['100'] }, undefined],
    ['in an empty order book', { b: ['0'], a: ['0'], c: ['100'] }, undefined],
    ['without bid and ask', { c: ['100'] }, undefined],
  ])('limits a last trade %s to the range of bid and ask', (_, pair, rate) => {
    const usd = { b: ['9'], a: ['9'], c: ['9'] };
    const found = kraken().parse(JSON.stringify({ error: [], result: { XBTCHF: pair, SOLUSD: usd } }));
    expect(found.map(({ coin, rate: told }) => [coin, told])).toEqual([
      ...(rate === undefined ? [] : [['BTC', rate]]),
      ['SOL', '9'],
    ]);
  });

  test('sends one request per currency, so that a removed pair affects one currency only', () => {
    expect(requests(kraken(), ['USD', 'CHF', 'THB'])).toEqual([
      'https://api.kraken.com/0/public/Ticker?pair=XBTUSD,ETHUSD,LTCUSD,SOLUSD',
      'https://api.kraken.com/0/public/Ticker?pair=XBTCHF,ETHCHF',
    ]);
  });

  test('reports the error that Kraken returns instead of prices', () => {
    expect(() => kraken().parse(fixture('kraken-unknown-pair'))).toThrow('EQuery:Unknown asset pair');
  });
});

describe('coinbase rate source', () => {
  test('reads the prices of one coin in ISO currencies, and ignores the rest of the list', () => {
    expect(prices(coinbase(), 'coinbase-btc')).toEqual({
      'BTC/AED': '239610.2551',
      'BTC/EUR': '56120.77430556',
      'BTC/JPY': '9791234.5',
      'BTC/KWD': '20010.1103',
      'BTC/USD': '65240.125',
    });
  });

  test('sends one request per coin, however many currencies are requested', () => {
    expect(requests(coinbase(), ['USD', 'EUR', 'THB'])).toHaveLength(4);
    expect(requests(coinbase(), [])).toEqual([]);
  });
});

describe('bitstamp rate source', () => {
  test('reads spot pairs with their time, and ignores perpetuals and other coins', () => {
    expect(bitstamp().parse(fixture('bitstamp-all'))).toEqual([
      { coin: 'BTC', currency: 'USD', rate: '65229', at: 1_789_455_809_000 },
      { coin: 'BTC', currency: 'EUR', rate: '56118', at: 1_789_455_810_000 },
      { coin: 'LTC', currency: 'USD', rate: '98.12', at: 1_789_455_801_000 },
    ]);
  });

  test('sends no request for currencies that bitstamp does not have', () => {
    expect(requests(bitstamp(), ['THB', 'JPY'])).toEqual([]);
    expect(requests(bitstamp(), ['THB', 'GBP'])).toEqual(['https://www.bitstamp.net/api/v2/ticker/']);
  });
});

describe('coingecko rate source', () => {
  test('keeps every digit of JSON numbers, beyond the precision of a float', () => {
    expect(prices(coingecko(), 'coingecko')).toEqual({
      'BTC/USD': '65233.41270193847261',
      'BTC/EUR': '56119',
      'ETH/USD': '1965.51',
      'ETH/EUR': '1690.876543210987654',
      'LTC/USD': '98.09',
      'LTC/EUR': '84.38',
      'SOL/USD': '153.4',
      'SOL/EUR': '131.96',
    });
    expect(coingecko().parse(fixture('coingecko'))[0]?.at).toBe(1_789_455_790_000);
  });

  test.each([
    ['demo', 'https://api.coingecko.com', 'x-cg-demo-api-key'],
    ['pro', 'https://pro-api.coingecko.com', 'x-cg-pro-api-key'],
  ] as const)(
    'sends a key of the %s plan to %s in the header %s, never in the URL',
    (plan, origin, header) => {
      const source = coingecko({ plan, apiKey: { reveal: () => 'CG-abc' } });
      expect(source.headers?.()).toEqual({ [header]: 'CG-abc' });
      const [url] = source.requests(['USD']);
      expect(url?.origin).toBe(origin);
      expect(url?.href).not.toContain('CG-abc');
      expect(coingecko({ plan, apiKey: null }).headers?.()).toEqual({});
    },
  );

  test('sends one request for all coins and currencies', () => {
    const [url] = coingecko().requests(['USD', 'THB']);
    expect(Object.fromEntries(url?.searchParams ?? [])).toEqual({
      ids: 'bitcoin,ethereum,litecoin,solana',
      vs_currencies: 'usd,thb',
      include_last_updated_at: 'true',
      precision: 'full',
    });
  });
});

describe.each([kraken(), coinbase(), bitstamp(), coingecko()])('$name rate source', (source) => {
  test.each([
    '',
    'null',
    '<html>',
    '"x"',
    '42',
    '{"status":{"error_code":429}}',
    '{"error":[],"result":{"XXBTZUSD":{"c":["-1","1"]}}}',
  ])('rejects the response %s, or finds no price in it', (body) => {
    let found: readonly unknown[] = [];
    try {
      found = source.parse(body);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
    expect(found).toEqual([]);
  });
});

test.each(['0', '-5', '1e400', 'NaN', '', '9'.repeat(41)])(
  'the coinbase rate source never accepts a price of "%s"',
  (price) => {
    const body = fixture('coinbase-btc').replace(/("USD": ?)"65240.125"/, `$1"${price}"`);
    expect(body).not.toContain('"USD": "65240.125"');
    expect(
      coinbase()
        .parse(body)
        .map(({ currency }) => currency),
    ).not.toContain('USD');
  },
);
