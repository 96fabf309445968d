import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiAnswer, type PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

const LIMIT = 5;

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start({ TILLD_PUBLIC_RATE_PER_MINUTE: String(LIMIT), TILLD_TRUST_PROXY: '1' });
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

async function order(
  of: Shop,
  token: string,
  from: string,
  more: Record<string, unknown> = {},
): Promise<ApiAnswer<PaymentJson>> {
  const orderId = `order-${randomBytes(6).toString('hex')}`;
  const body = { amount: '10', currency: 'USD', customerId: of.customerId, orderId, ...more };
  return till.api.call('POST', '/payment/create', { token, body, headers: { 'x-forwarded-for': from } });
}

describe('payments created with a public key', () => {
  it('are limited per client address and key, also when many are concurrent', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 * LIMIT }, async () => order(shop, shop.publicKey, '203.0.113.1')),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3 * LIMIT);
    for (const { headers, body } of refused) {
      expect(body.error?.code).toBe('RATE_LIMITED');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect((await order(shop, shop.publicKey, '203.0.113.2')).status).toBe(201);
    const other = await Shop.open(till.api);
    expect((await order(other, other.publicKey, '203.0.113.1')).status).toBe(201);
  });

  it('count towards the limit when invalid, while existing payments can still be read', async () => {
    const from = '203.0.113.3';
    const { body } = await order(shop, shop.publicKey, from);
    for (let made = 1; made < LIMIT; made += 1) {
      expect((await order(shop, shop.publicKey, from, { amount: 'much' })).status).toBe(400);
    }
    expect((await order(shop, shop.publicKey, from)).status).toBe(429);
    const read = await till.api.call('GET', `/payment/get?paymentId=${body.data.id}`, {
      token: shop.publicKey,
      headers: { 'x-forwarded-for': from },
    });
    expect(read.status).toBe(200);
  });

  it('are not limited with a secret key or a user token', async () => {
    for (let made = 0; made < 3 * LIMIT; made += 1) {
      expect((await order(shop, shop.secretKey, '203.0.113.4')).status).toBe(201);
      const asUser = await order(shop, shop.token, '203.0.113.4', { merchantId: shop.merchantId });
      expect(asUser.status).toBe(201);
    }
  });
});

const rates = async (token: string, from: string) =>
  till.api.call('GET', '/rates?currency=USD', { token, headers: { 'x-forwarded-for': from } });

describe('GET /rates', () => {
  it('is limited per client address with a public key, separately from orders', async () => {
    const from = '203.0.113.7';
    for (let read = 0; read < LIMIT; read += 1) expect((await rates(shop.publicKey, from)).status).toBe(200);
    const { status, body, headers } = await rates(shop.publicKey, from);
    expect([status, body.error?.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await rates(shop.publicKey, '203.0.113.8')).status).toBe(200);
    expect((await order(shop, shop.publicKey, from)).status).toBe(201);
  });

  it('is not limited with a secret key', async () => {
    for (let read = 0; read < 3 * LIMIT; read += 1) {
      expect((await rates(shop.secretKey, '203.0.113.9')).status).toBe(200);
    }
  });
});
