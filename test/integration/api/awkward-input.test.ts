import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

describe('half a character in what a payer sends', () => {
  // PHP, Rust and others refuse a whole JSON text that holds one: a list of payments, or a webhook.
  it.each([
    ['metadata', { note: 'a\ud800' }],
    ['metadata', { '\udfff': 1 }],
    ['customFields', { deep: [{ note: '\ud83d' }] }],
    ['successUrl', 'https://shop.example/\ud800'],
    ['returnUrl', 'https://shop.example/?a=\udc00'],
    ['webhookUrl', 'https://shop.example/\ud800'],
  ])('is refused in %s', async (field, value) => {
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

  it('is refused in the metadata of a customer', async () => {
    const { shop } = account;
    const { status, body } = await shop.api.call('PATCH', '/merchant/customer/edit', {
      token: shop.secretKey,
      body: { customerId: shop.customerId, metadata: { note: '\ud800' } },
    });
    expect([status, body.error?.details?.[0]?.field]).toEqual([400, 'metadata']);
  });
});

describe('what cannot be read is put down to whoever sent it, not to the server', () => {
  it.each(['/checkout/%E0%A4%A', '/checkout/%/state', '/checkout/%C0%AF/events', '/dashboard/%E0%A4%A'])(
    '%s is not there',
    async (path) => {
      expect(await fetchJson(path)).toEqual([404, 'NOT_FOUND']);
    },
  );

  it('shows a browser the page for payments that do not exist', async () => {
    const url = `${world.till.api.baseUrl}/checkout/%E0%A4%A`;
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
  });

  it('a form that is too large, or in no known encoding', async () => {
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
