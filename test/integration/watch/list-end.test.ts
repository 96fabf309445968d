/** Lists at their end: each address is given out once, and errors name the reason wherever an order is refused. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { coldAddresses } from '../../_helpers/listed-addresses.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

const LAST = 10;
const ORDERS = 50;

describe('a list of addresses at its end', () => {
  let node: SvmNode;
  let till: Till;
  let shop: Shop;
  const cold = coldAddresses('SOL', 'last', LAST);

  beforeAll(async () => {
    node = await SvmNode.start();
    till = await Till.start({
      ...liveEnv({ SOL: node.url }),
      TILLD_FORWARD_DELAY: '0s',
      TILLD_PUBLIC_RATE_PER_MINUTE: '1000',
    });
    shop = await Shop.open(till.api);
    await till.ready();
    const { merchantId, token } = shop;
    const list = { merchantId, coin: 'SOL', addresses: cold };
    const { id } = await till.api.must<{ id: string }>('POST', '/merchant/wallet/watch', {
      token,
      body: list,
    });
    await till.api.must('POST', '/merchant/wallet/watch/confirm', { token, body: { merchantId, id } });
  });
  afterAll(async () => {
    await till?.end();
    await node?.stop();
  });

  const create = async (orderId: string) =>
    till.api.call<PaymentJson>('POST', '/payment/create', {
      token: shop.secretKey,
      body: {
        amount: '100',
        currency: 'USD',
        customerId: shop.customerId,
        orderId,
        allowedCryptos: ['SOL'],
      },
    });

  it('gives each of its last 10 addresses to one of 50 orders at once, and refuses 40 with the reason', async () => {
    const orderIds = Array.from({ length: ORDERS }, (_, n) => `race-${n}`);
    const answers = await Promise.all(orderIds.map(create));
    const made = answers.filter(({ body }) => body.error === null);
    expect(made.map(({ body }) => body.data.options.SOL.address).toSorted()).toEqual(cold.toSorted());
    const refused = answers.filter(({ body }) => body.error !== null);
    expect(refused).toHaveLength(ORDERS - LAST);
    for (const { status, body } of refused)
      expect([status, body.error]).toMatchObject([
        503,
        { code: 'COIN_UNAVAILABLE', message: expect.stringContaining('the owner has to add more') as string },
      ]);
    const { accounts } = await till.api.must<{ accounts: { list: object; nextIndex: number }[] }>(
      'GET',
      '/merchant/wallet/watch',
      { token: shop.secretKey },
    );
    expect(accounts).toMatchObject([{ nextIndex: LAST, list: { size: LAST, remaining: 0 } }]);
    expect((await create('one more')).body.error).toMatchObject({ code: 'COIN_UNAVAILABLE' });
  });

  it('shows a payer at a payment link that no coin can be used, and keeps the input', async () => {
    const link = await till.api.must<{ url: string }>('POST', '/merchant/link/create', {
      token: shop.secretKey,
      body: { name: 'Beans', currency: 'USD', openAmount: { min: '2', max: '500' } },
    });
    const answer = await fetch(`${till.api.baseUrl}${new URL(link.url).pathname}?lang=en`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ amount: '50' }),
    });
    const text = await answer.text();
    expect(answer.status).toBe(503);
    expect(text).toContain('None of the coins can be used right now');
    expect(text).toContain('value="50"');
  });

  it('shows a payer who renews an expired payment that no coin can be used', async () => {
    const { payments } = await till.api.must<{ payments: { id: string }[] }>('GET', '/payment/list', {
      token: shop.secretKey,
    });
    const id = payments[0]?.id ?? '';
    const { merchantId, token } = shop;
    await till.api.must('PATCH', '/merchant/edit', { token, body: { merchantId, renewExpired: true } });
    const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'));
    db.prepare('UPDATE payments SET expires_at = created_at + 1 WHERE id = ?').run(id);
    db.close();
    await eventually(
      'the payment expires',
      async () => shop.payment(id),
      ({ status }) => status === 'expired',
    );
    const answer = await fetch(`${till.api.baseUrl}/checkout/${id}/renew?lang=en`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('No coin can be used right now'),
    ]);
  });
});
