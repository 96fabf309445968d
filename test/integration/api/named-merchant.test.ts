import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;
let stranger: Shop;
let payment: PaymentJson;
beforeAll(async () => {
  till = await Till.start();
  [shop, stranger] = [await Shop.open(till.api), await Shop.open(till.api)];
  payment = await shop.createPayment();
});
afterAll(async () => till.end());

const get = async (path: string, token: string) => till.api.call<PaymentJson>('GET', path, { token });
const post = async (path: string, token: string, body: object) =>
  till.api.call('POST', path, { token, body });

it('a request with a user token needs no merchantId when it contains an id that belongs to one merchant', async () => {
  const read = await get(`/payment/get?paymentId=${payment.id}`, shop.token);
  expect([read.status, read.body.data.id]).toEqual([200, payment.id]);
  const played = { paymentId: payment.id, scenario: 'confirm' };
  expect((await post('/sandbox/payment/simulate', shop.token, played)).body.error?.code).toBe(
    'INVALID_STATE',
  );
  expect((await post('/payment/cancel', shop.token, { paymentId: payment.id })).status).toBe(200);
});

it('a list filtered by an id accepts a user token without merchantId, and returns the objects of that merchant', async () => {
  const logs = `paymentId=${payment.id}&limit=5`;
  for (const [path, list] of [
    [`/merchant/webhook-logs?${logs}`, 'logs'],
    [`/merchant/webhook/deliveries?${logs}`, 'deliveries'],
    [`/merchant/events?${logs}`, 'events'],
  ] as const) {
    const [named, unnamed] = [
      await get(`${path}&merchantId=${shop.merchantId}`, shop.token),
      await get(path, shop.token),
    ];
    expect([unnamed.status, unnamed.body.data]).toEqual([200, named.body.data]);
    expect(Reflect.get(unnamed.body.data, list)).toBeInstanceOf(Array);
    expect((await get(path, stranger.token)).body.error?.code).toBe('PAYMENT_NOT_FOUND');
  }
  for (const path of ['/merchant/wallet/send/bump', '/merchant/wallet/send/cancel']) {
    expect((await post(path, shop.token, { sendId: 'snd_unknown' })).body.error?.code).toBe('SEND_NOT_FOUND');
  }
  const test = await post('/merchant/webhook/test', shop.token, { endpointId: shop.merchantId });
  expect(test.body.error?.code).toBe('INVALID_STATE');
  // The URLs that payments name are no endpoint of one merchant.
  expect((await get('/merchant/webhook/deliveries?endpointId=payment', shop.token)).status).toBe(400);
});

it('a request with an id of another account is answered with 404, and one with a merchantId that does not match the id is refused', async () => {
  const ask = async (token: string, more = '') =>
    (await get(`/payment/get?paymentId=${payment.id}${more}`, token)).body.error?.code;
  expect(await ask(stranger.token)).toBe('PAYMENT_NOT_FOUND');
  expect(await ask(shop.token, `&merchantId=${stranger.merchantId}`)).toBe('MERCHANT_NOT_FOUND');
  for (const [path, body, code] of [
    ['/payment/cancel', { paymentId: payment.id }, 'PAYMENT_NOT_FOUND'],
    ['/merchant/webhook/redeliver', { logId: 'whl_unknown' }, 'LOG_NOT_FOUND'],
    ['/merchant/webhook/endpoint/rotate-secret', { endpointId: 'whe_unknown' }, 'ENDPOINT_NOT_FOUND'],
  ] as const) {
    expect((await post(path, stranger.token, body)).body.error?.code).toBe(code);
  }
  expect((await get('/merchant/wallet/send-status?sendId=snd_unknown', shop.token)).body.error?.code).toBe(
    'SEND_NOT_FOUND',
  );
  expect((await get('/merchant/wallet/balances', shop.token)).status).toBe(400);
});
