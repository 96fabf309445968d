import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '../_helpers/owner.ts';
import type { ShopProxy } from '../_helpers/proxies.ts';
import type { WooShop } from './driver.ts';
import { openPayments, ordersOf, Shopper, type Pages } from './shopper.ts';
import { startConnected } from './start.ts';

/** Orders that are not of the customer who places one, and his own that he pays in another way. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let shopUrl: string;
let toShop: ShopProxy;
let pages: Pages;

beforeAll(async () => {
  ({ owner, shop, shopUrl, toShop } = await startConnected(stack));
  pages = await shop.command('pages');
  await shop.command('offerTransfer');
}, 1_200_000);
afterAll(() => stack.disposeAsync());

describe.each([
  ['classic', (shopper: Shopper, method?: string) => shopper.placeClassic(method)],
  ['of blocks', (shopper: Shopper, method?: string) => shopper.placeBlocks(method)],
] as const)('the WooCommerce checkout %s', (name, place) => {
  const emailOf = (who: string): string => `${who}.${name.replace(' ', '')}@example.com`;

  it('does not change the order of a guest when a stranger orders the same cart with the same email address', async () => {
    const victim = new Shopper(pages, shopUrl, emailOf('victim'));
    await victim.fillCart();
    await place(victim);
    const [order] = await ordersOf(shop, victim);
    const stranger = new Shopper(pages, shopUrl, victim.email);
    await stranger.fillCart();
    await place(stranger);
    const [after] = await ordersOf(shop, victim);
    expect(after?.status).toBe('pending');
    expect((await owner.payment(order?.paymentId ?? '')).status).toBe('pending');
  });

  it('reveals nothing about the paid order of a guest to a stranger with the same email address', async () => {
    const victim = new Shopper(pages, shopUrl, emailOf('payer'));
    await victim.fillCart();
    await place(victim);
    const [order] = await ordersOf(shop, victim);
    toShop.weather = 'lose';
    try {
      await owner.pay(order?.paymentId ?? '');
      const stranger = new Shopper(pages, shopUrl, victim.email);
      await stranger.fillCart();
      const { reason } = await place(stranger);
      expect(reason).not.toContain('wc_order_');
      expect(reason).not.toContain(`order ${order?.orderId}`);
    } finally {
      toShop.weather = 'pass';
    }
  });

  it('cancels the payment of a cart that was changed and is paid by another method', async () => {
    const shopper = new Shopper(pages, shopUrl, emailOf('switcher'));
    await shopper.fillCart();
    await place(shopper);
    const orders = await ordersOf(shop, shopper);
    expect(await openPayments(owner, orders)).toHaveLength(1);
    await shopper.fillCart();
    const { redirect, reason } = await place(shopper, 'bacs');
    expect(reason).toBe('');
    expect(redirect).toContain('order-received');
    expect(await openPayments(owner, orders)).toEqual([]);
  });
});

it('a WooCommerce order has no open tilld payment while its customer pays by another method', async () => {
  const { orderId, paymentId } = await shop.order({ email: 'undecided@example.com' });
  await shop.command('chooseMethod', { orderId, method: 'bacs' });
  expect((await owner.payment(paymentId)).status).toBe('cancelled');
  const { paymentId: again } = await shop.command<{ paymentId: string }>('changeMethod', {
    orderId,
    method: 'tilld',
  });
  expect((await owner.payment(again)).status).toBe('pending');
});

it('a WooCommerce order with received money cannot be paid again in the block checkout although its webhooks are lost', async () => {
  const { orderId, paymentId } = await shop.order({ email: 'later@example.com' });
  await shop.command('payByBlocks', { orderId });
  toShop.weather = 'lose';
  try {
    await owner.pay(paymentId);
    await expect(shop.command('payByBlocks', { orderId })).rejects.toThrow('you need not pay again');
  } finally {
    toShop.weather = 'pass';
  }
});

it.each(['processing', 'completed'])(
  'a WooCommerce order that the shopkeeper sets to %s manually has no open tilld payment any more',
  async (status) => {
    const { orderId, paymentId } = await shop.order({ email: 'cash@example.com' });
    await shop.command('setStatus', { orderId, status });
    expect((await owner.payment(paymentId)).status).toBe('cancelled');
    await shop.reconcile();
    expect(await shop.state(orderId)).toBe('paid');
  },
);
