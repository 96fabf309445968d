import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  shop = await Shop.open(till.api);
});
afterAll(async () => till?.end());

it.each([' 1001', '1001 ', '\t1001\n', '\u00a01001'])(
  'POST /payment/create stores the order id %j unchanged, and the list finds it by exactly that id',
  async (orderId) => {
    const { id } = await shop.createPayment({ orderId });
    const read = await till.api.must<{ orderId: string }>('GET', `/payment/get?paymentId=${id}`, {
      token: shop.secretKey,
    });
    expect(read.orderId).toBe(orderId);
    const found = async (text: string) => {
      const { payments } = await till.api.must<{ payments: { id: string }[] }>(
        'GET',
        `/payment/list?orderId=${encodeURIComponent(text)}`,
        { token: shop.secretKey },
      );
      return payments.map((payment) => payment.id);
    };
    expect(await found(orderId)).toEqual([id]);
    expect(await found('1001')).toEqual([]);
  },
);

it('POST /payment/create refuses a blank order id', async () => {
  const body = { amount: '10', currency: 'USD', customerId: shop.customerId, orderId: ' \t' };
  const { status, body: answer } = await till.api.call('POST', '/payment/create', {
    token: shop.secretKey,
    body,
  });
  expect([status, answer.error?.code]).toEqual([400, 'VALIDATION_INVALID']);
});
