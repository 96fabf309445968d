import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newPerson, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let owner: Person;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
});
afterAll(async () => till?.end());

async function actions(): Promise<string[]> {
  const { body } = await owner.session.call<{ entries: { action: string; result: string }[] }>(
    'GET',
    `/merchant/audit?merchantId=${shop.merchantId}`,
  );
  return body.data.entries.map(({ action, result }) => `${action} ${result}`);
}

it('the audit log records each read of a signing secret, by user or key, although it is a GET', async () => {
  await till.api.must('GET', '/merchant/webhook/secret', { token: shop.secretKey });
  await till.api.must('GET', `/merchant/webhook/secret?merchantId=${shop.merchantId}`, {
    token: owner.token,
  });
  const reads = (await actions()).filter((action) => action === 'GET /merchant/webhook/secret OK');
  expect(reads).toHaveLength(2);
});

it('the audit log records each export, and no other GET request', async () => {
  const { status } = await till.api.call('GET', '/payment/export?from=2026-01-01&to=2026-01-02', {
    token: shop.secretKey,
  });
  expect(status).toBe(200);
  await till.api.must('GET', '/payment/list', { token: shop.secretKey });
  const found = await actions();
  expect(found).toContain('GET /payment/export OK');
  expect(found.join()).not.toContain('/payment/list');
});
