import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World, type Account } from './world.ts';

const HEADER = 'x-tilld-ignored-fields';
const world = await World.start();
let account: Account;
beforeAll(async () => {
  account = await world.account();
});
afterAll(async () => world.end());

async function post(path: string, credential: string, body: string) {
  const response = await fetch(world.till.api.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body,
  });
  const { error } = (await response.json()) as {
    error: { message: string; details: { field: string; code: string; message: string }[] } | null;
  };
  return { status: response.status, ignored: response.headers.get(HEADER), error };
}

describe('a request body that is not JSON', () => {
  it('is answered with the line and column of the syntax error, and without any text of the body', async () => {
    const { status, error } = await post(
      '/payment/create',
      account.shop.secretKey,
      '{\n  "amount": "49.90"\n  "password": "hunter2"\n}',
    );
    expect(status).toBe(400);
    const message = 'must be valid JSON: error in line 3, column 3';
    expect(error).toMatchObject({
      message: `body: ${message}`,
      details: [{ field: 'body', code: 'malformed', message }],
    });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it('is answered with an error that requires an object when it is another JSON value', async () => {
    const { status, error } = await post('/payment/create', account.shop.secretKey, '"text"');
    expect([status, error?.details[0]?.message]).toEqual([400, 'must be a JSON object']);
  });
});

describe('unknown fields in a request body', () => {
  const order = { amount: '10.00', currency: 'USD', customer: { emial: 'ada@example.com' }, orderID: 'x' };

  it('are listed in the response in sandbox mode, next to the error about a missing field', async () => {
    const { status, ignored, error } = await post(
      '/payment/create',
      account.shop.publicKey,
      JSON.stringify(order),
    );
    expect([status, ignored]).toEqual([400, 'customer.emial, orderID']);
    expect(error?.details[0]?.field).toBe('orderId');
  });

  it('are listed when a user token specifies the shop by merchantId', async () => {
    const { merchantId, token } = account.shop;
    const body = { merchantId, ...order, orderId: 'order-of-mistakes' };
    const { status, ignored } = await post('/payment/create', token, JSON.stringify(body));
    expect([status, ignored]).toEqual([201, 'customer.emial, orderID']);
  });

  it('are not listed in responses to keys and users of a live shop', async () => {
    const { merchantId, token, secretKey } = account.shop;
    const db = new Database(join(world.till.dataDir, 'tilld.sqlite'));
    const setSandbox = (on: number) =>
      db.prepare('UPDATE merchants SET sandbox = ? WHERE id = ?').run(on, merchantId);
    setSandbox(0);
    const body = { email: 'grace@example.com', nmae: 'x', orderID: 'x' };
    const byKey = await post('/merchant/customer/create', secretKey, JSON.stringify(body));
    const byUser = await post('/merchant/webhook/test', token, JSON.stringify({ merchantId, nmae: 'x' }));
    setSandbox(1);
    db.close();
    expect(byKey).toMatchObject({ status: 201, ignored: null });
    expect(byUser.ignored).toBeNull();
  });
});
