/** A shop that was switched from the sandbox to live: what was played stays played, and what is new is real. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type ApiAnswer } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { putShopInMode } from '../../_helpers/shop-mode.ts';
import { Till } from '../../_helpers/till.ts';
import { claimLink, paymentThat, refund, type RefundLinkJson } from '../refunds/refund-client.ts';

let till: Till;
let shop: Shop;
let stranger: Shop;
/** Paid in the sandbox. */
let played: string;
let link: RefundLinkJson;
let slugPath: string;
const KEY = { 'idempotency-key': 'payout-1' };

const call = async <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: object,
  headers = {},
): Promise<ApiAnswer<T>> =>
  till.api.call<T>(method, path, { token: shop.secretKey, ...(body === undefined ? {} : { body }), headers });
const order = (coin: 'ETH' | 'BTC') => ({ coin, amount: '0.01', destination: stranger.wallets[coin] });

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  [shop, stranger] = [await Shop.open(till.api), await Shop.open(till.api)];
  for (const coin of ['ETH', 'BTC']) {
    const { id } = await shop.createPayment({ amount: '5000', allowedCryptos: [coin] });
    played = id;
    await call('POST', '/sandbox/payment/simulate', {
      paymentId: id,
      scenario: 'exact',
      coin,
      confirmations: 9,
    });
    await paymentThat(shop, { id }, 'completed', ({ status }) => status === 'completed');
  }
  await eventually(
    'money to be spendable',
    () => shop.balance('ETH'),
    (balance) => Number(balance) > 0.1,
  );
  expect((await call('POST', '/merchant/wallet/send', order('ETH'), KEY)).status).toBe(200);
  const made = await call<{ url: string }>('POST', '/merchant/link/create', {
    name: 'Beans',
    amount: '5',
    currency: 'USD',
  });
  slugPath = new URL(made.body.data.url).pathname;
  link = (
    await call<RefundLinkJson>('POST', '/payment/refund-link', {
      paymentId: played,
      amount: '10',
      currency: 'USD',
    })
  ).body.data;
  putShopInMode(till, shop.merchantId, 'live');
});
afterAll(async () => till.end());

describe('a shop that switched from sandbox to live', () => {
  it('cannot send from its simulated wallet, also with an API key that it used in sandbox mode', async () => {
    for (const headers of [{}, KEY]) {
      const {
        status,
        body,
        headers: answered,
      } = await call('POST', '/merchant/wallet/send', order('ETH'), headers);
      expect([status >= 400, body.data]).toEqual([true, null]);
      expect(['COIN_UNAVAILABLE', 'IDEMPOTENCY_MISMATCH']).toContain(body.error?.code);
      expect(answered.has('idempotent-replayed')).toBe(false);
    }
    expect((await call('POST', '/merchant/wallet/consolidate', { coin: 'BTC' })).body.error?.code).toBe(
      'COIN_UNAVAILABLE',
    );
  });

  it('cannot create a simulated payment, by API or by an earlier payment link', async () => {
    const body = { amount: '5', currency: 'USD', customer: {}, orderId: 'live-1' };
    expect((await call('POST', '/payment/create', body)).body.error?.code).toBe('COIN_UNAVAILABLE');
    const page = await fetch(till.api.baseUrl + slugPath, { method: 'POST', redirect: 'manual', body: '' });
    expect([page.status, page.headers.get('location')]).toEqual([503, null]);
  });

  it('shows no simulated money in its live exports, balances and lists', async () => {
    for (const [path, list] of [
      ['/payment/export', 'lines'],
      ['/payment/list', 'payments'],
      ['/payment/refund-links', 'refundLinks'],
      ['/merchant/wallet/transactions', 'transactions'],
    ] as const) {
      expect((await call('GET', path)).body.data[list], path).toEqual([]);
    }
    const { data: balances } = (await call('GET', '/merchant/wallet/balances')).body;
    expect(Object.values(balances).filter((amount) => Number(amount) > 0)).toEqual([]);
  });

  it('pays refunds of simulated money from the sandbox wallet only', async () => {
    const destination = stranger.wallets.BTC;
    await claimLink(till.api, link.url, { coin: 'BTC', destination });
    const paid = await paymentThat(shop, { id: played }, 'refunded', ({ refunds }) => refunds.length === 1);
    expect(paid.sandbox).toBe(true);
    const direct = await refund(shop, { paymentId: played, destination, amount: '0.001' });
    expect([direct.status, direct.body.data.sandbox]).toEqual([200, true]);
    // Found on the simulated chain, by the shop that was paid there.
    await eventually(
      'both to arrive',
      () => stranger.balance('BTC'),
      (balance) => Number(balance) > 0.001,
    );
  });

  it('marks every simulated payment and event as sandbox', async () => {
    const { events } = (
      await call<{ events: { sandbox: boolean }[] }>('GET', '/merchant/events?after=0&limit=100')
    ).body.data;
    expect(events.length).toBeGreaterThan(5);
    expect(events.filter(({ sandbox }) => !sandbox)).toEqual([]);
  });
});
