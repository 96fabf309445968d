/** Money that was seen and that the network dropped again, as its payer and the shop are shown it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const simulate = async (paymentId: string, scenario: string, coin: string): Promise<unknown> =>
  till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId, scenario, coin },
  });

const page = async (id: string): Promise<string> =>
  (await fetch(`${till.api.baseUrl}/checkout/${id}?lang=en`)).text();

const listed = async (query: string): Promise<string[]> => {
  const { payments } = await till.api.must<{ payments: { id: string }[] }>('GET', `/payment/list?${query}`, {
    token: shop.secretKey,
  });
  return payments.map(({ id }) => id);
};

it('a payment whose money was double-spent becomes pending and reversed, and its page says so with the same coin selected', async () => {
  const { id } = await shop.createPayment();
  await shop.createPayment();
  expect(await page(id)).not.toContain('dropped');
  await simulate(id, 'double-spend', 'SOL');
  expect(await shop.payment(id)).toMatchObject({ status: 'pending', exception: 'reversed' });
  const shown = await page(id);
  expect(shown).toContain('We saw your payment, but the network dropped it');
  expect(shown).toContain('check your wallet before paying again');
  expect(shown).toContain('Dropped by the network');
  expect(shown).toMatch(/value="SOL"[^>]*\schecked/);
  expect(await listed('exception=reversed')).toEqual([id]);
  expect(await listed('exception=late')).toEqual([]);
  await simulate(id, 'exact', 'SOL');
  expect(await shop.payment(id)).toMatchObject({ status: 'confirming', exception: null });
  expect(await page(id)).not.toContain('dropped');
});

it('a payment whose money was dropped shows no link to the cart, where the payer would pay twice, also once cancelled', async () => {
  const cart = 'https://shop.example/cart';
  const { id } = await shop.createPayment({ returnUrl: cart, successUrl: 'https://shop.example/thanks' });
  expect(await page(id)).toContain(cart);
  await simulate(id, 'double-spend', 'BTC');
  expect(await page(id)).not.toContain(cart);
  await till.api.must('POST', '/payment/cancel', { token: shop.secretKey, body: { paymentId: id } });
  expect(await shop.payment(id)).toMatchObject({ status: 'cancelled', exception: 'reversed' });
  const shown = await page(id);
  expect(shown).toContain('It may still arrive');
  expect(shown).not.toContain(cart);
});
