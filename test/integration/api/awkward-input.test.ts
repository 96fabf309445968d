import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { World, type Account } from './world.ts';

const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
afterAll(async () => world.end());

async function fetchJson(path: string, init: RequestInit = {}): Promise<[number, string | undefined]> {
  const response = await fetch(world.till.api.baseUrl + path, init);
  const body = (await response.json()) as { error: { code: string } | null };
  return [response.status, body.error?.code];
}

describe('a lone surrogate (invalid Unicode) in a request', () => {
  // PHP, Rust and others refuse a whole JSON text that holds one: a list of payments, or a webhook.
  it.each([
    ['metadata', { note: 'a\ud800' }],
    ['metadata', { '\udfff': 1 }],
    ['customFields', { deep: [{ note: '\ud83d' }] }],
    ['successUrl', 'https://shop.example/\ud800'],
    ['returnUrl', 'https://shop.example/?a=\udc00'],
    ['webhookUrl', 'https://shop.example/\ud800'],
  ])('is rejected in %s', async (field, value) => {
    const { shop } = account;
    const order = { amount: '10', currency: 'USD', customerId: shop.customerId, orderId: `half-${field}` };
    const { status, body } = await shop.api.call('POST', '/payment/create', {
      token: shop.publicKey,
      body: { ...order, [field]: value },
    });
    expect([status, body.error?.code, body.error?.details?.[0]?.field]).toEqual([
      400,
      'VALIDATION_INVALID',
      field,
    ]);
  });

  it('is rejected in the metadata of a customer', async () => {
    const { shop } = account;
    const { status, body } = await shop.api.call('PATCH', '/merchant/customer/edit', {
      token: shop.secretKey,
      body: { customerId: shop.customerId, metadata: { note: '\ud800' } },
    });
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'metadata']);
  });
});

async function sent(path: string, body: string, key?: string): Promise<string> {
  const response = await fetch(world.till.api.baseUrl + path, {
    method: path.endsWith('edit') ? 'PATCH' : 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${account.shop.secretKey}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
  });
  return response.text();
}

async function read(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${account.shop.secretKey}` };
  return (await fetch(world.till.api.baseUrl + path, { headers })).text();
}

describe('numbers beyond the precision of a float', () => {
  // An order id of 64 bits is common elsewhere; rounded, it would be the id of another order.
  const METADATA = '{"order":9223372036854775807,"lines":[12345678901234567890],"far":1e999}';

  it('are returned unchanged in payments, events, webhooks and their log', async () => {
    const { shop } = account;
    await using sink = await WebhookSink.start();
    const order = { amount: '10', currency: 'USD', customerId: shop.customerId, orderId: 'exact-1' };
    const fields = JSON.stringify({ ...order, webhookUrl: sink.url }).slice(0, -1);
    const answer = await sent(
      '/payment/create',
      `${fields},"metadata":${METADATA},"customFields": ${METADATA}}`,
    );
    const { id } = (JSON.parse(answer) as { data: { id: string } }).data;
    const whole = `"metadata":${METADATA},"customFields":${METADATA}`;
    expect((await sink.waitForEvent('payment.created', id)).raw).toContain(whole);
    expect(await read(`/payment/get?paymentId=${id}`)).toContain(whole);
    expect(await read('/payment/list?orderId=exact-1')).toContain(whole);
    expect(await read(`/merchant/events?paymentId=${id}`)).toContain(whole);
    await eventually(
      'the log of the webhook',
      () => read(`/merchant/webhook-logs?paymentId=${id}`),
      (log) => log.includes(whole),
    );
    const cancelled = await sent('/payment/cancel', JSON.stringify({ paymentId: id }), 'exact-cancel');
    expect(cancelled).toContain(whole);
    expect(await sent('/payment/cancel', JSON.stringify({ paymentId: id }), 'exact-cancel')).toBe(cancelled);
  });

  it('distinguish two requests that differ only in the last digits of such a number', async () => {
    const { customerId } = account.shop;
    const order = { amount: '10', currency: 'USD', customerId, orderId: 'exact-2' };
    const body = (digits: string) => `${JSON.stringify(order).slice(0, -1)},"metadata":{"a":${digits}}}`;
    expect(await sent('/payment/create', body('12345678901234567890'))).toContain('"success":true');
    expect(await sent('/payment/create', body('12345678901234567890'))).toContain('"success":true');
    expect(await sent('/payment/create', body('12345678901234567891'))).toContain('DUPLICATE_ENTRY');
  });

  it('are returned unchanged in customers', async () => {
    const { customerId } = account.shop;
    const edited = await sent(
      '/merchant/customer/edit',
      `{"customerId":"${customerId}","metadata":${METADATA}}`,
    );
    expect(edited).toContain(`"metadata":${METADATA}`);
    expect(await read('/merchant/customer/list')).toContain(`"metadata":${METADATA}`);
  });

  it.each([
    ['/merchant/customer/create', '{"email":"long@example.com","metadata":12345678901234567890}', 'metadata'],
    ['/merchant/customer/create', '{"email":12345678901234567890}', 'email'],
    ['/merchant/sandbox', '{"sandboxMode":12345678901234567890}', 'sandboxMode'],
  ])('are rejected instead of an object or text: %s %s', async (path, body, field) => {
    const { error } = JSON.parse(await sent(path, body)) as { error: { code: string; details: unknown } };
    expect(error).toMatchObject({ code: 'VALIDATION_INVALID', details: [{ field, code: 'invalid_type' }] });
  });
});

describe('the daemon on an unreadable request', () => {
  it.each(['/checkout/%E0%A4%A', '/checkout/%/state', '/checkout/%C0%AF/events', '/dashboard/%E0%A4%A'])(
    'answers 404 for %s',
    async (path) => {
      expect(await fetchJson(path)).toEqual([404, 'NOT_FOUND']);
    },
  );

  it('shows a page to a browser for a missing payment', async () => {
    const url = `${world.till.api.baseUrl}/checkout/pay_none`;
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
  });

  it('rejects a form that is too large, or in an unknown encoding', async () => {
    const { id } = await account.shop.createPayment();
    const post = (body: string, type = 'application/x-www-form-urlencoded', headers = {}) =>
      fetchJson(`/checkout/${id}/simulate`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, ...headers },
      });
    expect(await post(`scenario=${'x'.repeat(5_000)}`)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const koi8 = 'application/x-www-form-urlencoded; charset=koi8-r';
    expect(await post('scenario=exact', koi8)).toEqual([400, 'VALIDATION_INVALID']);
    expect(await post('scenario=exact', undefined, { 'content-encoding': 'gzip' })).toEqual([
      400,
      'VALIDATION_INVALID',
    ]);
  });
});

/** Everything that comes back over one connection until the server ends it. */
async function overOneConnection(...requests: string[]): Promise<string> {
  const { hostname, port } = new URL(world.till.api.baseUrl);
  const socket = connect(Number(port), hostname);
  // Long enough for any answer; a stream lasts for minutes.
  socket.setTimeout(5_000, () => socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(requests.map((request) => `${request}\r\nHost: x\r\n\r\n`).join(''));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

describe('the event stream of a checkout page', () => {
  it('answers HEAD with its headers only, and the connection serves the next request', async () => {
    const { id } = await account.shop.createPayment();
    // A proxy keeps such a connection for the next client, who would wait for as long as the stream lasts.
    const answers = await overOneConnection(
      `HEAD /checkout/${id}/events HTTP/1.1`,
      'HEAD /checkout/pay_nothing/events HTTP/1.1',
      'GET /healthz HTTP/1.1\r\nConnection: close',
    );
    expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    expect(answers).toContain('text/event-stream');
  });
});
