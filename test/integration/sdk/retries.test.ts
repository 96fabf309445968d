import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Tilld, TilldError, type TilldOptions } from '../../../packages/sdk/src/index.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { FaultProxy } from '../../_helpers/fault-proxy.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let proxy: FaultProxy;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  shop = await Shop.open(till.api);
  proxy = await FaultProxy.start(till.api.baseUrl);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await till.end();
});

/** Failures that were tried again, and how long each pause was to be. */
let retried: { code: string; pauseMs: number }[] = [];
beforeEach(() => {
  retried = [];
});

const onRetry = ({ code }: TilldError, pauseMs: number): void => void retried.push({ code, pauseMs });

function client(options: Partial<TilldOptions> = {}): Tilld {
  return new Tilld({ baseUrl: proxy.url, key: shop.secretKey, onRetry, ...options });
}

function order(orderId = `order-${randomBytes(6).toString('hex')}`) {
  return { orderId, amount: '10', currency: 'EUR', customerId: shop.customerId };
}

function failureOf(work: Promise<unknown>): Promise<TilldError> {
  return work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(TilldError);
      return error as TilldError;
    },
  );
}

const keysSeen = (): unknown[] => proxy.seen.map(({ headers }) => headers['idempotency-key']);

describe('an SDK request whose response is lost', () => {
  it.each(['drop', 'drop-answer', 'cut-answer'] as const)('creates a payment once: %s', async (fault) => {
    proxy.next(fault, fault);
    const wanted = order();
    const { id } = await client().payments.create(wanted);
    expect(retried.map(({ code }) => code)).toEqual(['NO_ANSWER', 'NO_ANSWER']);
    expect(retried[0]?.pauseMs).toBeGreaterThanOrEqual(375);
    expect(retried[1]?.pauseMs).toBeGreaterThanOrEqual(750);
    expect(retried[1]?.pauseMs).toBeLessThanOrEqual(1250);
    expect(new Set(keysSeen()).size).toBe(1);
    expect(proxy.seen).toHaveLength(3);
    const { payments } = await client().payments.list({ orderId: wanted.orderId });
    expect(payments.map((payment) => payment.id)).toEqual([id]);
  });

  it('creates a customer once, because the retry sends the same Idempotency-Key', async () => {
    proxy.next('drop-answer');
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    // A second customer with this address would be refused as a duplicate.
    expect((await client().customers.create({ email })).email).toBe(email);
    expect(keysSeen()[0]).toMatch(/^[\w-]{43}$/);
    const other = await client().customers.create({ email: `x${email}` });
    expect(other.email).toBe(`x${email}`);
    expect(new Set(keysSeen()).size).toBe(2);
  });

  it('throws after the configured number of attempts', async () => {
    proxy.next('drop', 'drop', 'drop');
    const error = await failureOf(client({ retries: 1 }).payments.create(order()));
    expect(error).toMatchObject({ code: 'NO_ANSWER', status: 0, retryable: true, requestId: null });
    expect(error.message).toMatch(/^POST \/payment\/create: no answer \(fetch failed, /);
    expect(proxy.seen).toHaveLength(2);
    expect((await failureOf(client({ retries: 0 }).payments.list())).code).toBe('NO_ANSWER');
  });

  it('is retried after a timeout', async () => {
    proxy.next('hang');
    const { id } = await client({ timeoutMs: 60_000 }).payments.create(order(), { timeoutMs: 1_500 });
    expect(id).toMatch(/^pay_/);
    expect(retried.map(({ code }) => code)).toEqual(['TIMED_OUT']);
  });
});

it('SDK exports return the complete file or throw when the transfer breaks off', async () => {
  const { id: paymentId } = await client().payments.create(order());
  await client().sandbox.simulate({ paymentId, scenario: 'exact', coin: 'LTC' });
  await expect.poll(async () => (await client().payments.get({ paymentId })).status).toBe('completed');
  proxy.next('cut-answer', 'cut-answer');
  const text = await client().payments.exportCsv({ timeZone: 'Europe/Berlin' });
  const { lines } = await client().payments.export({ timeZone: 'Europe/Berlin' });
  expect(retried.map(({ code }) => code)).toEqual(['NO_ANSWER', 'NO_ANSWER']);
  expect(lines.map((line) => line.paymentId)).toContain(paymentId);
  const [head, ...rows] = text.trimEnd().split('\r\n');
  expect(head).toContain('at,kind,paymentId');
  expect(rows).toHaveLength(lines.length);
});

describe('SDK retries', () => {
  it.each([429, 503])('wait for the time in Retry-After on status %d', async (status) => {
    proxy.next({ status, headers: { 'retry-after': '1' } });
    await client().payments.list();
    expect(retried.map(({ pauseMs }) => pauseMs)).toEqual([1000]);
    expect(proxy.seen[1]!.at - proxy.seen[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it('wait until a date in Retry-After', async () => {
    proxy.next({ status: 503, headers: { 'retry-after': new Date(Date.now() + 2000).toUTCString() } });
    await client().payments.list();
    expect(retried[0]?.pauseMs).toBeGreaterThan(500);
    expect(retried[0]?.pauseMs).toBeLessThanOrEqual(2000);
  });

  it('stop when Retry-After exceeds the time budget', async () => {
    const body = JSON.stringify({
      success: false,
      error: { status: 429, code: 'RATE_LIMITED', message: 'Too many' },
      data: null,
    });
    proxy.next({ status: 429, headers: { 'retry-after': '61', 'x-request-id': 'r-1' }, body });
    const error = await failureOf(client().payments.list());
    expect(error).toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterMs: 61_000,
      requestId: 'r-1',
      retryable: true,
    });
    expect(proxy.seen).toHaveLength(1);
    proxy.next({ status: 503, headers: { 'retry-after': '2' } });
    await failureOf(client({ retryBudgetMs: 1000 }).payments.list());
    expect(proxy.seen).toHaveLength(1);
  });

  it.each([502, 504])('happen on status %d of a proxy while the daemon restarts', async (status) => {
    proxy.next({ status, body: '<html>Bad gateway</html>' });
    await client().payments.list();
    expect(retried.map(({ code }) => code)).toEqual(['UNREADABLE']);
  });

  it('happen while the first request with the same key is still in flight', async () => {
    const body = JSON.stringify({
      success: false,
      error: { status: 409, code: 'IDEMPOTENCY_IN_FLIGHT', message: 'still being handled' },
      data: null,
    });
    proxy.next({ status: 409, body });
    await client().payments.create(order());
    expect(retried.map(({ code }) => code)).toEqual(['IDEMPOTENCY_IN_FLIGHT']);
  });

  it('combine concurrent calls with one Idempotency-Key into one request', async () => {
    proxy.next();
    const idempotencyKey = randomBytes(9).toString('hex');
    const email = `${idempotencyKey}@example.com`;
    const made = await Promise.all(
      [1, 2, 3].map(() => client().customers.create({ email }, { idempotencyKey })),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });
});

describe('SDK errors without a retry', () => {
  it.each([
    [400, 'VALIDATION_INVALID', () => client().payments.create({ ...order(), amount: 'ten' })],
    [401, 'UNAUTHORISED', () => client({ key: 'sk_wrong' }).payments.list()],
    [404, 'PAYMENT_NOT_FOUND', () => client().payments.get({ paymentId: 'pay_none' })],
    [400, 'DUPLICATE_ENTRY', () => client().payments.create({ ...order(taken), amount: '11' })],
  ] as const)('include %d %s', async (status, code, ask) => {
    proxy.next();
    const error = await failureOf(ask());
    expect(error).toMatchObject({ status, code, retryable: false });
    expect(error.requestId).toMatch(/^[\w-]{10,}$/);
    expect(error.message).not.toContain(shop.secretKey);
    expect(proxy.seen).toHaveLength(1);
  });
  const taken = 'order-that-exists';
  beforeAll(async () => void (await client().payments.create(order(taken))));

  it('contain the names of the fields and the id of the existing object', async () => {
    const wrong = await failureOf(client().payments.create({ ...order(), amount: 'ten' }));
    expect(wrong.details).toEqual([expect.objectContaining({ field: 'amount' })]);
    const double = await failureOf(client().payments.create({ ...order(taken), amount: '11' }));
    expect(double.details[0]?.existingId).toMatch(/^pay_/);
  });

  it('include a state conflict (409), which is not a request in flight', async () => {
    const { id: paymentId } = await client().payments.create(order());
    await client().sandbox.simulate({ paymentId, scenario: 'exact' });
    proxy.next();
    const error = await failureOf(client().payments.cancel({ paymentId }));
    expect(error).toMatchObject({ status: 409, code: 'INVALID_STATE', retryable: false });
    expect(proxy.seen).toHaveLength(1);
  });

  it('include 500, a redirect and a response that is not from tilld', async () => {
    for (const [status, headers] of [
      [500, {}],
      [302, { location: 'https://elsewhere.example/' }],
      [404, {}],
    ] as const) {
      proxy.next({ status, headers, body: '<html></html>' });
      const error = await failureOf(client().payments.create(order()));
      expect(error).toMatchObject({ status, code: 'UNREADABLE', retryable: false });
      expect(proxy.seen).toHaveLength(1);
    }
    proxy.next({ status: 302, headers: { location: `${till.api.baseUrl}/healthz` } });
    expect((await failureOf(client().service.healthz())).message).toContain('a redirect, check baseUrl');
  });
});

describe('an aborted SDK request', () => {
  it('throws while it is in flight', async () => {
    proxy.next('hang');
    const controller = new AbortController();
    const asked = failureOf(client().payments.list({}, { signal: controller.signal }));
    await proxy.hanging();
    controller.abort(new Error('the page was left'));
    const error = await asked;
    expect(error).toMatchObject({ code: 'ABORTED', retryable: false });
    expect((error.cause as Error).message).toBe('the page was left');
    expect(proxy.seen).toHaveLength(1);
  });

  it('throws during a retry delay, and immediately when aborted before', async () => {
    proxy.next({ status: 503, headers: { 'retry-after': '30' } });
    const controller = new AbortController();
    const impatient = client({ onRetry: () => controller.abort() });
    const error = await failureOf(impatient.payments.list({}, { signal: controller.signal }));
    expect(error.code).toBe('ABORTED');
    expect((await failureOf(client().payments.list({}, { signal: AbortSignal.abort() }))).code).toBe(
      'ABORTED',
    );
    expect(proxy.seen).toHaveLength(1);
  });
});

describe('SDK operations that move money', () => {
  it('require an Idempotency-Key from the caller, by type and at run time', async () => {
    const open = client();
    proxy.next();
    const asked = [
      // @ts-expect-error: without options
      open.wallet.send({ coin: 'BTC', amount: '1', destination: 'x' }),
      // @ts-expect-error: without a key
      open.refunds.create({ paymentId: 'pay_1', destination: 'x' }, {}),
      // @ts-expect-error: no text
      open.refundLinks.create({ paymentId: 'pay_1' }, { idempotencyKey: undefined }),
    ];
    for (const work of asked)
      await expect(work).rejects.toThrow(/requires an idempotencyKey from the caller/);
    expect(proxy.seen).toHaveLength(0);
  });

  it('are executed once under this key, whichever response is lost', async () => {
    const { id: paymentId } = await client().payments.create(order());
    await client().sandbox.simulate({ paymentId, scenario: 'exact', coin: 'BTC' });
    await expect.poll(async () => (await client().payments.get({ paymentId })).status).toBe('completed');
    const destination = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
    const refund = { paymentId, destination, amount: '0.00001' };
    const options = { idempotencyKey: `refund-${paymentId}` };
    proxy.next('drop-answer');
    const done = await client().refunds.create(refund, options);
    const again = await client().refunds.create(refund, options);
    expect(done.refunds).toHaveLength(1);
    expect(again.refund.sendId).toBe(done.refund.sendId);
    expect(keysSeen()).toEqual([options.idempotencyKey, options.idempotencyKey, options.idempotencyKey]);
  });
});

describe('validation of SDK options', () => {
  it.each([
    [{ baseUrl: 'pay.shop.example' }, /baseUrl/],
    [{ baseUrl: 'ftp://pay.shop.example' }, /baseUrl/],
    [{ baseUrl: 'http://x', key: '' }, /key: empty/],
    [{ baseUrl: 'http://x', key: 'sk_secret\n' }, /line breaks/],
  ])('rejects %o immediately', (options, message) => {
    expect(() => new Tilld(options)).toThrow(message);
    expect(() => new Tilld(options)).not.toThrow(/sk_secret/);
  });

  it('rejects an Idempotency-Key with characters that a header cannot contain', async () => {
    await expect(client().payments.create(order(), { idempotencyKey: 'ordér' })).rejects.toThrow(TypeError);
  });

  it('rejects a secret key in a web page', () => {
    Object.defineProperty(globalThis, 'document', { value: {}, configurable: true });
    try {
      for (const key of [shop.secretKey, 'rk_1'])
        expect(() => client({ key })).toThrow(/never be in a web page/);
      expect(() => client({ key: shop.publicKey })).not.toThrow();
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
  });

  it('accepts slashes at the end of baseUrl', async () => {
    proxy.next();
    expect(await client({ baseUrl: `${proxy.url}//` }).service.healthz()).toMatchObject({ status: 'ok' });
    expect(proxy.seen[0]?.path).toBe('/healthz');
  });
});
