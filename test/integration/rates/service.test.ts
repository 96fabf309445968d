import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { parseFixedRates } from '../../../src/domain/fixed-rates.ts';
import type { QuorumRatesStore } from '../../../src/rates/quorum-rates.ts';
import type { RateSource } from '../../../src/rates/source.ts';
import { bitstamp } from '../../../src/rates/sources/bitstamp.ts';
import { coinbase } from '../../../src/rates/sources/coinbase.ts';
import { coingecko } from '../../../src/rates/sources/coingecko.ts';
import { createRates, type RateService } from '../../../src/rates/service.ts';
import { quorumRatesStore } from '../../../src/store/rates/quorum-rates.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
const services: RateService[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A Coinbase that knows BTC only, at prices the test may change. */
async function fakeCoinbase(rates: Record<string, string>): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const origin = await serve((request, response) => {
    const currency = new URL(request.url ?? '', 'http://x').searchParams.get('currency') ?? '';
    asked.push(currency);
    response.end(JSON.stringify({ data: { currency, rates: currency === 'BTC' ? rates : {} } }));
  });
  return { origin, asked };
}

class Recorder {
  now = 1_000_000;
  readonly lines: string[] = [];
  readonly clock = { now: () => this.now };
  readonly #write = (fields: object, message: string): void => {
    this.lines.push(`${message}: ${(fields as { source: string }).source}`);
  };
  readonly logger = { debug: this.#write, info: this.#write, warn: this.#write, error: this.#write };
}

function service(
  sources: RateSource[] | null,
  options: {
    fixed?: string;
    refreshMs?: number;
    timeoutMs?: number;
    inUse?: () => Promise<string[]>;
    quorumRates?: QuorumRatesStore;
  } = {},
) {
  const recorder = new Recorder();
  const rates = createRates({
    config: {
      fixed: options.fixed === undefined ? null : parseFixedRates(options.fixed),
      sources: [],
      coingecko: { plan: 'demo', apiKey: null },
      refreshIntervalMs: options.refreshMs ?? 20,
      maxAgeMs: 600_000,
      timeoutMs: options.timeoutMs ?? 2000,
      single: { perMinutePercent: 5, maxPercent: 20 },
    },
    sandboxFallback: parseFixedRates('BTC=100000,USD/EUR=0.92'),
    clock: recorder.clock,
    logger: recorder.logger,
    inUse: options.inUse,
    quorumRates: options.quorumRates,
    ...(sources === null ? {} : { sources }),
  });
  services.push(rates);
  return { rates, recorder };
}

async function until(what: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 5000; !what();) {
    if (Date.now() > deadline) throw new Error('waited too long');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return null;
};

describe('live exchange rates', () => {
  test('are loaded in the background from the start, so that quotes do not wait for a source', async () => {
    const { origin } = await fakeCoinbase({ USD: '65000', EUR: '56000.5' });
    const { rates, recorder } = service([coinbase(origin)]);
    expect(codeOf(() => rates.quote('BTC', 'USD', 'live'))).toBe('RATE_UNAVAILABLE');
    rates.start();
    await until(() => codeOf(() => rates.quote('BTC', 'USD', 'live')) === null);
    expect(rates.quote('BTC', 'EUR', 'live')).toEqual({
      coin: 'BTC',
      currency: 'EUR',
      rate: '56000.5',
      sources: ['coinbase'],
      at: recorder.now,
    });
  });

  test('are not used when they are too old, except in sandbox mode', async () => {
    const { origin, asked } = await fakeCoinbase({ USD: '65000', EUR: '56000' });
    const { rates, recorder } = service([coinbase(origin)], { refreshMs: 60_000 });
    rates.start();
    await until(() => asked.length >= 4 && codeOf(() => rates.quote('BTC', 'USD', 'live')) === null);
    recorder.now += 600_000;
    expect(rates.quote('BTC', 'USD', 'live').rate).toBe('65000');
    recorder.now += 1;
    expect(codeOf(() => rates.quote('BTC', 'USD', 'live'))).toBe('RATE_UNAVAILABLE');
    expect(rates.quote('BTC', 'EUR', 'sandbox')).toMatchObject({ rate: '92000', sources: ['fixed'] });
    expect(codeOf(() => rates.quote('BTC', 'JPY', 'sandbox'))).toBe('RATE_UNAVAILABLE');
    expect(codeOf(() => rates.quote('SOL', 'USD', 'sandbox'))).toBe('RATE_UNAVAILABLE');
  });

  test('stay available when one source fails, which is logged once at the failure and once at the recovery', async () => {
    const { origin } = await fakeCoinbase({ USD: '65000' });
    let alive = false;
    let asked = 0;
    const flaky = await serve((_, response) => {
      asked += 1;
      response.statusCode = alive ? 200 : 404;
      response.end(
        JSON.stringify([{ pair: 'BTC/USD', last: '65100', bid: '65100', ask: '65100', timestamp: '900' }]),
      );
    });
    const { rates, recorder } = service([coinbase(origin), bitstamp(flaky)]);
    rates.start();
    await until(() => asked > 3);
    expect(rates.quote('BTC', 'USD', 'live').sources).toEqual(['coinbase']);
    expect(recorder.lines).toEqual(['exchange rate source failed; other sources are used: bitstamp']);
    alive = true;
    await until(() => recorder.lines.length > 1);
    expect(recorder.lines[1]).toBe('exchange rate source available again: bitstamp');
    expect(rates.quote('BTC', 'USD', 'live')).toMatchObject({ rate: '65050', at: 900_000 });
  });

  test.each<[string, Handler]>([
    ['hangs', () => undefined],
    ['never ends its response', (_, response) => void response.write('{')],
    ['responds endlessly', (_, response) => flood(response)],
    ['redirects', (_, response) => void response.writeHead(302, { location: '/' }).end()],
    ['answers nonsense', (_, response) => void response.end('<html>busy</html>')],
    ['hangs up', (request) => void request.socket.destroy()],
  ])('are not delayed by a source that %s', async (_, handler) => {
    const { origin } = await fakeCoinbase({ USD: '65000' });
    const bad = await serve(handler);
    const { rates, recorder } = service([coinbase(origin), bitstamp(bad)], { timeoutMs: 400 });
    rates.start();
    await until(() => recorder.lines.length > 0);
    expect(recorder.lines).toEqual(['exchange rate source failed; other sources are used: bitstamp']);
    expect(rates.quote('BTC', 'USD', 'live').rate).toBe('65000');
  });

  test('stop loading immediately at shutdown, also in the middle of a request', async () => {
    const hanging = await serve(() => undefined);
    // Longer than this test may take.
    const { rates, recorder } = service([bitstamp(hanging)], { timeoutMs: 600_000 });
    rates.start();
    await rates.stop();
    expect(recorder.lines).toEqual([]);
  });
});

describe('the CoinGecko API key', () => {
  test.each([
    ['demo', 'x-cg-demo-api-key'],
    ['pro', 'x-cg-pro-api-key'],
  ] as const)('is sent, for the %s plan, in %s, and is not logged when refused', async (plan, header) => {
    const told: string[] = [];
    const origin = await serve((request, response) => {
      const key = request.headers[header];
      response.statusCode = key === 'CG-good' ? 200 : 401;
      response.end(
        key === 'CG-good'
          ? JSON.stringify({ bitcoin: { usd: 65000, last_updated_at: 1000 } })
          : JSON.stringify({ status: { error_message: `key ${String(key)} is wrong` } }),
      );
    });
    const good = service([coingecko({ plan, apiKey: { reveal: () => 'CG-good' } }, origin)]);
    good.rates.start();
    await until(() => codeOf(() => good.rates.quote('BTC', 'USD', 'live')) === null);
    expect(good.rates.quote('BTC', 'USD', 'live')).toMatchObject({ rate: '65000', sources: ['coingecko'] });
    const bad = service([coingecko({ plan, apiKey: { reveal: () => 'CG-bad' } }, origin)]);
    const warn = bad.recorder.logger.warn;
    bad.recorder.logger.warn = (fields, message) => {
      told.push(JSON.stringify(fields));
      warn(fields, message);
    };
    bad.rates.start();
    await until(() => told.length > 0);
    expect(told).toEqual(['{"source":"coingecko","reason":"HTTP status 401"}']);
  });
});

describe('a failing rate source', () => {
  const DAY = 24 * 3_600_000;
  const DEAD = 'exchange rate source has returned no price for a day: bitstamp';

  test('causes a warning after a day, a log line once a day, and no warning once it responds again', async () => {
    const { origin } = await fakeCoinbase({ USD: '65000' });
    let alive = false;
    let asked = 0;
    const flaky = await serve((_, response) => {
      asked += 1;
      response.statusCode = alive ? 200 : 401;
      response.end(
        JSON.stringify([
          { pair: 'BTC/USD', last: '65100', bid: '65100', ask: '65100', timestamp: '999999999' },
        ]),
      );
    });
    const { rates, recorder } = service([coinbase(origin), bitstamp(flaky)]);
    const turns = async (): Promise<void> => {
      const before = asked;
      await until(() => asked > before + 2);
    };
    const dead = (): number => recorder.lines.filter((line) => line === DEAD).length;
    rates.start();
    // It has never answered: its age counts from the start, so that a start alone raises no alarm.
    await turns();
    expect(rates.warnings()).toEqual([]);
    recorder.now += DAY - 1;
    await turns();
    expect([rates.warnings(), dead()]).toEqual([[], 0]);
    recorder.now += 1;
    await turns();
    expect(rates.warnings()).toEqual([
      expect.stringMatching(/rate source bitstamp gave no usable price for 24 hours.*TILLD_RATE_SOURCES/),
    ]);
    expect(rates.sourceAges()).toContainEqual({ source: 'bitstamp', ageMs: DAY });
    expect(dead()).toBe(1);
    recorder.now += DAY - 1;
    await turns();
    expect(dead()).toBe(1);
    recorder.now += 1;
    await turns();
    expect(dead()).toBe(2);
    alive = true;
    await until(() => rates.warnings().length === 0);
    expect(rates.sourceAges()).toContainEqual({ source: 'bitstamp', ageMs: 0 });
  });

  test.each<[string, () => string]>([
    [
      'an outdated price',
      () => JSON.stringify([{ pair: 'BTC/USD', last: '65100', bid: '65100', ask: '65100', timestamp: '1' }]),
    ],
    ['no price at all', () => '[]'],
  ])('causes the same warning when it answers with %s', async (_, body) => {
    let asked = 0;
    const stale = await serve((__, response) => {
      asked += 1;
      response.end(body());
    });
    const { rates, recorder } = service([bitstamp(stale)]);
    rates.start();
    await until(() => asked > 2);
    recorder.now += DAY;
    const before = asked;
    await until(() => asked > before + 2);
    expect(rates.warnings()).toHaveLength(1);
  });
});

describe('a currency that was not requested before', () => {
  test('is requested once for all waiting callers, and refreshed afterwards', async () => {
    const prices: Record<string, string> = { USD: '65000', THB: '2300000' };
    const { origin, asked } = await fakeCoinbase(prices);
    const { rates } = service([coinbase(origin)], { refreshMs: 60_000 });
    rates.start();
    await rates.ensure('USD');
    const before = asked.length;
    expect(codeOf(() => rates.quote('BTC', 'THB', 'live'))).toBe('RATE_UNAVAILABLE');
    await Promise.all(Array.from({ length: 20 }, () => rates.ensure('THB')));
    expect(rates.quote('BTC', 'THB', 'live').rate).toBe('2300000');
    expect(asked.length - before).toBe(4);
    await rates.ensure('THB');
    expect(asked.length - before).toBe(4);
  });

  test('is not requested again and again when no source has a rate for it', async () => {
    const { origin, asked } = await fakeCoinbase({ USD: '65000' });
    const { rates } = service([coinbase(origin)], { refreshMs: 60_000 });
    rates.start();
    await rates.ensure('MNT');
    const before = asked.length;
    for (let i = 0; i < 50; i += 1) await rates.ensure('MNT');
    expect(asked.length).toBe(before);
    expect(codeOf(() => rates.quote('BTC', 'MNT', 'live'))).toBe('RATE_UNAVAILABLE');
  });

  test('does not make callers wait forever when no source responds', async () => {
    const hanging = await serve(() => undefined);
    // Longer than this test may take.
    const { rates } = service([bitstamp(hanging)], { timeoutMs: 600_000 });
    rates.start();
    await rates.ensure('GBP');
    expect(codeOf(() => rates.quote('BTC', 'GBP', 'live'))).toBe('RATE_UNAVAILABLE');
  });

  test('is rejected as a client error, without a request to any source, when it does not exist', async () => {
    const { origin, asked } = await fakeCoinbase({});
    const { rates } = service([coinbase(origin)]);
    await rates.ensure('XYZ');
    expect(asked).toEqual([]);
    expect(codeOf(() => rates.quote('BTC', 'XYZ', 'live'))).toBe('VALIDATION_INVALID');
  });
});

describe('rates from before the clock was set back', () => {
  test('count as stale until the clock reaches the time at which they were fetched', async () => {
    const prices: Record<string, string> = { USD: '50000' };
    const { origin, asked } = await fakeCoinbase(prices);
    const { rates, recorder } = service([coinbase(origin)]);
    const year = 365 * 24 * 3_600_000;
    recorder.now += year;
    rates.start();
    await rates.ensure('USD');
    expect(rates.quote('BTC', 'USD', 'live').rate).toBe('50000');
    delete prices['USD'];
    const before = asked.length;
    await until(() => asked.length > before + 8);
    // What a clock is set back by in everyday life makes no price unknown.
    recorder.now -= 60_000;
    expect(rates.quote('BTC', 'USD', 'live').rate).toBe('50000');
    recorder.now -= year;
    expect(codeOf(() => rates.quote('BTC', 'USD', 'live'))).toBe('RATE_UNAVAILABLE');
  });
});

describe('fixed rates', () => {
  test('are the same in live and sandbox mode and cause no request', async () => {
    const { rates, recorder } = service(null, { fixed: 'BTC=100000.5,USD/EUR=0.92' });
    rates.start();
    await rates.ensure('JPY');
    const quote = { coin: 'BTC', currency: 'EUR', rate: '92000.46', sources: ['fixed'], at: recorder.now };
    expect(rates.quote('BTC', 'EUR', 'live')).toEqual(quote);
    expect(rates.quote('BTC', 'EUR', 'sandbox')).toEqual(quote);
    expect(codeOf(() => rates.quote('BTC', 'JPY', 'sandbox'))).toBe('RATE_UNAVAILABLE');
    expect(codeOf(() => rates.quote('SOL', 'USD', 'live'))).toBe('RATE_UNAVAILABLE');
    expect(codeOf(() => rates.quote('BTC', 'ABC', 'live'))).toBe('VALIDATION_INVALID');
  });
});

function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 32);
  const push = (): void => {
    if (!response.destroyed) response.write(chunk, () => setImmediate(push));
  };
  push();
}

/** A source that knows BTC in every currency, at a price that the test may change; null: it refuses. */
async function plainSource(
  name: string,
  price: { rate: string | null },
): Promise<RateSource & { asked: string[] }> {
  const asked: string[] = [];
  const origin = await serve((request, response) => {
    const currencies = new URL(request.url ?? '', 'http://x').searchParams.get('c') ?? '';
    asked.push(currencies);
    response.statusCode = price.rate === null ? 429 : 200;
    response.end(currencies);
  });
  return {
    name,
    asked,
    requests: (currencies) => [new URL(`/?c=${currencies.join(',')}`, origin)],
    parse: (body) =>
      body
        .split(',')
        .map((currency) => ({ coin: 'BTC' as const, currency, rate: price.rate ?? '0', at: null })),
  };
}

const ODD =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB FJD'.split(
    ' ',
  );

describe('a currency that shops or open payments use', () => {
  test('always has a rate, although strangers request more currencies than the cache can store', async () => {
    const source = await plainSource('kraken', { rate: '1000' });
    const { rates } = service([source], { refreshMs: 60_000, inUse: async () => ['GBP'] });
    rates.start();
    await rates.ensure('GBP');
    for (let round = 0; round < 3; round += 1) {
      const flood = ODD.map(async (currency) => rates.ensure(currency));
      for (let times = 0; times < 5; times += 1) {
        await rates.ensure('GBP');
        expect(rates.quote('BTC', 'GBP', 'live').rate).toBe('1000');
      }
      await Promise.all(flood);
      expect(rates.quote('BTC', 'GBP', 'live').rate).toBe('1000');
    }
  });

  test('is requested again when needed, after the source had no rate at first', async () => {
    const price: { rate: string | null } = { rate: null };
    const source = await plainSource('kraken', price);
    const { rates } = service([source], { refreshMs: 60_000, inUse: async () => ['GBP'] });
    rates.start();
    await until(() => source.asked.length > 0);
    await rates.ensure('GBP');
    expect(codeOf(() => rates.quote('BTC', 'GBP', 'live'))).toBe('RATE_UNAVAILABLE');
    price.rate = '1000';
    await rates.ensure('GBP');
    expect(rates.quote('BTC', 'GBP', 'live').rate).toBe('1000');
  });

  test('is requested again immediately when it was evicted from the cache', async () => {
    const source = await plainSource('kraken', { rate: '1000' });
    const { rates } = service([source], { refreshMs: 60_000 });
    rates.start();
    await rates.ensure('GBP');
    await Promise.all(ODD.map(async (currency) => rates.ensure(currency)));
    await rates.ensure('GBP');
    expect(rates.quote('BTC', 'GBP', 'live').rate).toBe('1000');
  });

  test('stays in the cache while the list of currencies in use cannot be read', async () => {
    const source = await plainSource('kraken', { rate: '1000' });
    let reads = 0;
    const inUse = async () => {
      reads += 1;
      if (reads > 1) throw new Error('database is locked');
      return ['GBP'];
    };
    const { rates } = service([source], { inUse });
    rates.start();
    await until(() => reads > 2);
    await Promise.all(ODD.map(async (currency) => rates.ensure(currency)));
    expect(rates.quote('BTC', 'GBP', 'live').rate).toBe('1000');
  });
});

describe('a single remaining rate source', () => {
  test('changes a rate slowly and within limits, is marked as single, and is refused beyond the limits', async () => {
    const prices = {
      kraken: { rate: '100000' as string | null },
      coinbase: { rate: '100100' as string | null },
    };
    const sources = [
      await plainSource('kraken', prices.kraken),
      await plainSource('coinbase', prices.coinbase),
    ];
    const { rates, recorder } = service(sources);
    const quoted = () => {
      try {
        return rates.quote('BTC', 'USD', 'live').rate;
      } catch (error) {
        return (error as AppError).code;
      }
    };
    rates.start();
    await until(() => quoted() === '100050');
    expect(rates.problems()).toEqual([]);
    prices.coinbase.rate = null;
    recorder.now += 600_001;
    await until(() => quoted() === '100000');
    expect(rates.problems()).toContainEqual({
      coin: 'BTC',
      currency: 'USD',
      state: 'alone',
      source: 'kraken',
    });
    expect(rates.warnings().join()).toContain('the rate of BTC in USD rests on kraken alone');
    for (const jump of ['1000000', '1', '125000']) {
      prices.kraken.rate = jump;
      await until(() => quoted() === 'RATE_UNAVAILABLE');
      expect(rates.problems()).toContainEqual({
        coin: 'BTC',
        currency: 'USD',
        state: 'refused',
        source: 'kraken',
      });
      expect(rates.warnings().join()).toContain('is rejected');
    }
    prices.kraken.rate = '103000';
    await until(() => quoted() === '103000');
    prices.kraken.rate = '1000000';
    prices.coinbase.rate = '1000000';
    await until(() => quoted() === '1000000');
    expect(rates.problems()).toEqual([]);
  });
});

const quotedBtc = (rates: RateService) => {
  try {
    return rates.quote('BTC', 'USD', 'live').rate;
  } catch (error) {
    return (error as AppError).code;
  }
};

describe('the last rate agreed by several sources, stored in the database,', () => {
  test('limits a single source after a restart, for a week', async () => {
    const database = await openDatabase(':memory:');
    const quorumRates = quorumRatesStore(database.db);
    const [kraken, coinbase] = [{ rate: '100000' as string | null }, { rate: '100100' as string | null }];
    const sources = [await plainSource('kraken', kraken), await plainSource('coinbase', coinbase)];
    const first = service(sources, { quorumRates });
    first.rates.start();
    await until(() => quotedBtc(first.rates) === '100050');
    await first.rates.stop();

    [kraken.rate, coinbase.rate] = ['1000', null];
    const second = service(sources, { quorumRates });
    second.rates.start();
    await until(() => second.rates.problems().some(({ state }) => state === 'refused'));
    expect(quotedBtc(second.rates)).toBe('RATE_UNAVAILABLE');
    kraken.rate = '101000';
    await until(() => quotedBtc(second.rates) === '101000');
    expect(second.rates.problems()).toContainEqual(
      expect.objectContaining({ coin: 'BTC', currency: 'USD', state: 'alone' }),
    );
    await second.rates.stop();

    kraken.rate = '150000';
    const later = service(sources, { quorumRates });
    later.recorder.now += 7 * 24 * 3_600_000 + 1;
    later.rates.start();
    await until(() => quotedBtc(later.rates) === '150000');
    await later.rates.stop();
    await database.close();
  });

  test('is written at most once a minute, as one row', async () => {
    const written: string[] = [];
    const quorumRates = { read: async () => null, write: async (text: string) => void written.push(text) };
    const sources = [
      await plainSource('kraken', { rate: '100000' }),
      await plainSource('coinbase', { rate: '100100' }),
    ];
    const { rates, recorder } = service(sources, { quorumRates, refreshMs: 1 });
    const { asked } = sources[0] as { asked: string[] };
    rates.start();
    await until(() => written.length === 1);
    recorder.now += 59_999;
    const before = asked.length;
    await until(() => asked.length > before + 5);
    expect(written).toHaveLength(1);
    recorder.now += 1;
    await until(() => written.length === 2);
    expect(JSON.parse(written[0] ?? '')).toEqual({
      'BTC USD': ['100050', 1_000_000],
      'BTC EUR': ['100050', 1_000_000],
    });
  });

  test('disables all sources while it cannot be read, and is ignored when it is malformed', async () => {
    let isBroken = true;
    const quorumRates = {
      read: async () => {
        if (isBroken) throw new Error('disk I/O error');
        return '{"BTC USD":["a lot",1]}';
      },
      write: async () => undefined,
    };
    const source = await plainSource('kraken', { rate: '1000' });
    const { rates, recorder } = service([source], { quorumRates });
    rates.start();
    await until(() =>
      recorder.lines.some((line) => line.startsWith('reading the stored exchange rates failed')),
    );
    expect(quotedBtc(rates)).toBe('RATE_UNAVAILABLE');
    expect(source.asked).toEqual([]);
    isBroken = false;
    await until(() => quotedBtc(rates) === '1000');
    expect(recorder.lines.join()).toContain('stored exchange rates unreadable');
  });
});
