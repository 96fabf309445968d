import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { WooShop } from './driver.ts';

/** Decimals are the currency's, whatever the shop shows. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  const toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port };
  shop = stack.use(await WooShop.start(setup));
  await shop.connect((address) => owner.agree(address));
}, 1_200_000);
afterAll(() => stack.disposeAsync());
afterEach(() => showDecimals(2));

async function showDecimals(decimals: number): Promise<void> {
  await shop.command('options', { woocommerce_price_num_decimals: decimals });
}

async function reaches(orderId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.state(orderId),
    (state) => state === wanted,
    60_000,
  );
}

describe('the price of a WooCommerce payment', () => {
  it.each([
    { currency: 'JPY', decimals: 2, lines: ['1990'], asked: '1990' },
    { currency: 'JPY', decimals: 2, lines: ['1990.5'], asked: '1991' },
    { currency: 'EUR', decimals: 0, lines: ['24.90'], asked: '25.00' },
    { currency: 'EUR', decimals: 3, lines: ['10.005'], asked: '10.01' },
    { currency: 'EUR', decimals: 4, lines: ['10.0049'], asked: '10.00' },
    { currency: 'KWD', decimals: 2, lines: ['1.25'], asked: '1.250' },
    { currency: 'KWD', decimals: 4, lines: ['1.2345'], asked: '1.235' },
    { currency: 'CLF', decimals: 4, lines: ['1.2345'], asked: '1.2345' },
  ])(
    'is $asked $currency when the shop shows $decimals decimals of $lines, and such a payment completes the order',
    async (row) => {
      await showDecimals(row.decimals);
      const { orderId, paymentId } = await shop.order({ currency: row.currency, lines: row.lines });
      expect(await owner.payment(paymentId)).toMatchObject({ amount: row.asked, currency: row.currency });
      await owner.payFinally(paymentId);
      await reaches(orderId, 'paid');
    },
  );

  it('has line items that sum up to at most the price, each with the decimals of the currency', async () => {
    await showDecimals(4);
    const { paymentId } = await shop.order({ currency: 'EUR', lines: ['1.3333', '2.004', '0.5'] });
    const payment = await owner.payment(paymentId);
    expect(payment.amount).toBe('3.84');
    expect(payment.lines.map(({ amount }) => amount)).toEqual(['1.33', '2.00', '0.50']);
  });
});

describe('a WooCommerce shop whose number of decimals is changed after an order', () => {
  it('does not change the paid status of an order of 24.90', async () => {
    const { orderId, paymentId } = await shop.order({ currency: 'EUR', lines: ['24.90'] });
    await showDecimals(0);
    await owner.payFinally(paymentId);
    await reaches(orderId, 'paid');
    await showDecimals(3);
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
  });

  it('refunds 5.50 by a refund link of 5.50, by code and from the order page', async () => {
    const { orderId, paymentId } = await shop.order({ currency: 'EUR', lines: ['24.90'] });
    await owner.payFinally(paymentId);
    await reaches(orderId, 'paid');
    await showDecimals(0);
    await shop.refund(orderId, '5.50');
    await shop.command('refundByPage', { orderId, amount: '4.40' });
    const links = await owner.refundLinks(paymentId);
    expect(links.map(({ amount }) => amount).toSorted()).toEqual(['4.40', '5.50']);
    const refunds = await shop.refunds(orderId);
    expect(refunds.map(({ amount }) => Number(amount)).toSorted((a, b) => a - b)).toEqual([4.4, 5.5]);
  });
});

it('WooCommerce order notes show amounts with the decimals of the currency', async () => {
  const { orderId, paymentId } = await shop.order({ currency: 'EUR', lines: ['39.9'] });
  await owner.pay(paymentId, 'underpay');
  await reaches(orderId, 'short');
  const notes = (await shop.notes(orderId)).join('\n');
  expect(notes).toMatch(/of 39\.90 EUR\./);
  expect(notes).toMatch(/\(\d+\.\d\d EUR\)/);
});
