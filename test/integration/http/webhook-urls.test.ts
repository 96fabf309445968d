import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type ApiAnswer } from '../../_helpers/api-client.ts';
import {
  newMerchant,
  newUser,
  startHttpApp,
  type HttpApp,
  type TestMerchant,
} from '../../_helpers/http-app.ts';
import { Till } from '../../_helpers/till.ts';

let strict: HttpApp;
let token: string;
let shop: TestMerchant;
beforeAll(async () => {
  strict = await startHttpApp({ allowPrivate: false });
  ({ token } = await newUser(strict));
  shop = await newMerchant(strict, token);
});
afterAll(async () => strict.destroy());

const edit = async (webhookUrl: string | null) =>
  strict.api.call<{ merchant: { webhookUrl: string | null } }>('PATCH', '/merchant/edit', {
    token,
    body: { merchantId: shop.id, webhookUrl },
  });
const outcome = ({ status, body }: ApiAnswer<unknown>) => [
  status,
  body.error?.code,
  body.error?.details?.map(({ field }) => field),
];

describe('PATCH /merchant/edit with webhookUrl where private addresses are not allowed', () => {
  it.each([
    'http://shop.example/hook',
    'https://127.0.0.1/hook',
    'https://[::1]/hook',
    'https://localhost/hook',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0x7f.1/',
  ])('rejects %s and leaves the URL unchanged', async (url) => {
    const wakes = strict.wakes();
    expect(outcome(await edit(url))).toEqual([400, 'VALIDATION_INVALID', ['webhookUrl']]);
    const row = await strict.db
      .selectFrom('merchants')
      .select('webhookUrl')
      .where('id', '=', shop.id)
      .execute();
    expect(row).toEqual([{ webhookUrl: null }]);
    expect(strict.wakes()).toBe(wakes);
  });

  it('accepts a public https URL and its removal, and starts the delivery queue immediately', async () => {
    const wakes = strict.wakes();
    expect((await edit('https://shop.example/hook')).body.data.merchant.webhookUrl).toBe(
      'https://shop.example/hook',
    );
    expect((await edit(null)).body.data.merchant.webhookUrl).toBeNull();
    expect(strict.wakes()).toBe(wakes + 2);
  });

  it('answers a user of another account that the merchant does not exist', async () => {
    const stranger = await newUser(strict);
    const answer = await strict.api.call('PATCH', '/merchant/edit', {
      token: stranger.token,
      body: { merchantId: shop.id, webhookUrl: 'http://127.0.0.1/' },
    });
    expect(answer.body.error?.code).toBe('MERCHANT_NOT_FOUND');
  });
});

it('POST /payment/create rejects a webhookUrl that deliveries would never call', async () => {
  await using till = await Till.start({ TILLD_ALLOW_PRIVATE_WEBHOOKS: 'off' });
  const shop = await Shop.open(till.api);
  const create = async (webhookUrl: string) =>
    till.api.call<{ id: string }>('POST', '/payment/create', {
      token: shop.publicKey,
      body: { amount: '5', currency: 'USD', customerId: shop.customerId, orderId: 'o-1', webhookUrl },
    });
  for (const url of ['http://shop.example/', 'https://192.168.0.1/', 'https://localhost/']) {
    expect(outcome(await create(url))).toEqual([400, 'VALIDATION_INVALID', ['webhookUrl']]);
  }
  expect((await create('https://shop.example/hook')).status).toBe(201);
});
