import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '../_helpers/owner.ts';
import type { ShopProxy } from '../_helpers/proxies.ts';
import type { WooShop } from './driver.ts';
import { isTold, openPayments, ordersOf, Shopper, type Pages } from './shopper.ts';
import { hasStatus, startConnected } from './start.ts';

/** The way of a customer from the checkout to tilld and back, in any number of tabs. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: WooShop;
let shopUrl: string;
let toShop: ShopProxy;
let pages: Pages;
let count = 0;

interface OrderPages {
  readonly back: string;
  readonly received: string;
  readonly pay: string;
  readonly view: string;
  readonly actions: Record<string, { readonly name: string; readonly url: string }>;
}

beforeAll(async () => {
  ({ owner, shop, shopUrl, toShop } = await startConnected(stack));
  pages = await shop.command('pages');
  await shop.command('offerTransfer');
}, 1_200_000);
afterEach(() => expect(shop.site.debugLog()).toEqual([]));
afterAll(() => stack.disposeAsync());

function newShopper(): Shopper {
  count += 1;
  return new Shopper(pages, shopUrl, `shopper${count}@example.com`);
}

/** A customer who placed an order by the classic checkout. */
async function placed(): Promise<{ shopper: Shopper; orderId: string; paymentId: string }> {
  const shopper = newShopper();
  await shopper.fillCart();
  const { redirect, reason } = await shopper.placeClassic();
  expect(reason).toBe('');
  expect(redirect).toContain('/checkout/pay_');
  const [order] = await ordersOf(shop, shopper);
  return { shopper, orderId: order?.orderId ?? '', paymentId: order?.paymentId ?? '' };
}

async function pagesOf(orderId: string): Promise<OrderPages> {
  return shop.command('orderPages', { orderId });
}

describe('the return URL of a WooCommerce payment', () => {
  it('is the same for every outcome and identifies the order by its key', async () => {
    const { orderId, paymentId } = await placed();
    const { successUrl, returnUrl } = await owner.payment(paymentId);
    expect(successUrl).toBe((await pagesOf(orderId)).back);
    expect(returnUrl).toBe(successUrl);
    const address = new URL(successUrl ?? '');
    expect(address.searchParams.get('order')).toBe(orderId);
  });

  it('leads to the order once money was seen, although its webhooks are lost, and empties the cart', async () => {
    const { shopper, orderId, paymentId } = await placed();
    const { back, received } = await pagesOf(orderId);
    toShop.weather = 'lose';
    try {
      await owner.pay(paymentId);
      const shown = await shopper.open(back);
      expect(shown.url).toBe(received);
      expect(shown.html).toContain('Your payment was seen.');
      expect(shown.html).toContain('See the status of your payment');
      expect(await shopper.isCartEmpty()).toBe(true);
    } finally {
      toShop.weather = 'pass';
    }
  });

  it('leads to the checkout when no money arrived and the cart is unchanged', async () => {
    const { shopper, orderId } = await placed();
    const { back } = await pagesOf(orderId);
    expect((await shopper.open(back)).url).toBe(pages.blocks);
    expect(await shopper.isCartEmpty()).toBe(false);
  });

  it('leads to the payment page of the order when the cart has changed', async () => {
    const { orderId } = await placed();
    const { back, pay } = await pagesOf(orderId);
    expect((await newShopper().open(back)).url).toBe(pay);
  });

  it('does not lead to an order without the order key', async () => {
    const { orderId } = await placed();
    const { back } = await pagesOf(orderId);
    const forged = new URL(back);
    for (const key of ['', 'wc_order_guessed0000', `${forged.searchParams.get('key')}x`]) {
      forged.searchParams.set('key', key);
      expect((await newShopper().open(forged.href)).url).toBe(`${shopUrl}/`);
    }
  });

  it('shows the stored order status while tilld does not respond', async () => {
    const { shopper, orderId, paymentId } = await placed();
    await owner.pay(paymentId);
    await isTold(shop, orderId, 'seen');
    const { back, received } = await pagesOf(orderId);
    await owner.revokeKeys();
    try {
      const shown = await shopper.open(back);
      expect(shown.url).toBe(received);
      expect(shown.html).toContain('Your payment was seen.');
    } finally {
      await shop.connect((address) => owner.agree(address));
    }
  });
});

describe('a WooCommerce customer who underpaid', () => {
  it('gets a link to pay the remaining amount on the order page, in emails and in the account', async () => {
    const { shopper, orderId, paymentId } = await placed();
    const { checkoutUrl } = await owner.payment(paymentId);
    await owner.pay(paymentId, 'underpay');
    await isTold(shop, orderId, 'short');
    await hasStatus(shop, orderId, 'on-hold');
    const { back, received, pay, actions } = await pagesOf(orderId);
    expect(actions['tilld']).toEqual({ name: 'Pay the rest', url: checkoutUrl });
    for (const address of [back, pay]) {
      const shown = await shopper.open(address);
      expect(shown.url).toBe(received);
      expect(shown.html).toContain('Please pay the rest, so that your order goes on.');
      expect(shown.html).toMatch(new RegExp(`href="${checkoutUrl}"[^>]*>Pay the rest`));
    }
    const mails = await shop.mails(shopper.email);
    const mailed = mails.map(({ text }) => text).join('\n');
    expect(mailed).toContain('Pay the rest');
    expect(mailed).toContain(checkoutUrl);
    expect((await shop.notes(orderId)).join('\n')).toContain(checkoutUrl);
    await owner.payFinally(paymentId);
    await hasStatus(shop, orderId, 'completed', 'processing');
  });

  it('gets an email when a part is refunded after the order was set to on hold', async () => {
    const { shopper, orderId, paymentId } = await placed();
    await owner.pay(paymentId);
    await isTold(shop, orderId, 'seen');
    await owner.takeBack(paymentId);
    await isTold(shop, orderId, 'waiting', 'lost');
    const { actions } = await pagesOf(orderId);
    expect(Object.keys(actions)).not.toContain('tilld');
    await owner.pay(paymentId, 'underpay');
    await isTold(shop, orderId, 'short');
    expect((await shop.mails(shopper.email)).map(({ text }) => text).join('\n')).toContain('Pay the rest');
  });
});

describe('a WooCommerce order whose payment has ended', () => {
  it('can be paid by a new payment at a new rate, which is then the only open one', async () => {
    const { shopper, orderId, paymentId } = await placed();
    await owner.cancel(paymentId);
    await isTold(shop, orderId, 'lost');
    const { actions, received } = await pagesOf(orderId);
    expect(actions['pay']?.name).toBe('Pay at a new rate');
    const again = await shopper.placeClassic();
    expect(again.redirect).toContain('/checkout/pay_');
    const orders = await ordersOf(shop, shopper);
    expect(await openPayments(owner, orders)).toHaveLength(1);
    // The first one is paid after all, on a page that was left open.
    await owner.payFinally(paymentId);
    await isTold(shop, orderId, 'paid');
    expect(await openPayments(owner, [...orders, ...(await ordersOf(shop, shopper))])).toEqual([]);
    expect((await shopper.open(received)).html).toContain('Your payment has arrived. Thank you.');
  });
});

it('a WooCommerce checkout in an old tab names the paid order instead of an expired session', async () => {
  const { shopper, orderId, paymentId } = await placed();
  const review = await shopper.openReview();
  await owner.pay(paymentId);
  await isTold(shop, orderId, 'seen');
  await shopper.open((await pagesOf(orderId)).back);
  const shown = await review();
  expect(shown).toContain(`Your payment for order ${orderId} was seen: you need not pay again.`);
  expect(shown).not.toContain('expired');
});

describe.each([
  ['classic', (shopper: Shopper, method?: string) => shopper.placeClassic(method)],
  ['of blocks', (shopper: Shopper, method?: string) => shopper.placeBlocks(method)],
] as const)('a second payment in the WooCommerce checkout %s', (_name, place) => {
  it('is refused with the reason and a link to the order, whichever payment method is selected', async () => {
    const shopper = newShopper();
    await shopper.fillCart();
    const tab = await shopper.openClassic();
    const otherTab = await shopper.openClassic();
    await place(shopper);
    const [order] = await ordersOf(shop, shopper);
    await owner.pay(order?.paymentId ?? '');
    await isTold(shop, order?.orderId ?? '', 'seen');
    const before = [await tab('tilld'), await otherTab('bacs')];
    const received = await shopper.open((await pagesOf(order?.orderId ?? '')).back);
    expect(received.url).toContain('order-received');
    // A form that the browser shows again by its Back button.
    const after = [await tab('tilld'), await otherTab('bacs')];
    for (const { redirect, reason } of [...before, ...after]) {
      expect(redirect).toBe('');
      expect(reason).toMatch(/Your payment for order \d+ was seen: you need not pay again/);
      expect(reason).toMatch(/tilld-return/);
    }
    expect(await shopper.isCartEmpty()).toBe(true);
    expect(await ordersOf(shop, shopper)).toHaveLength(1);
  });

  it('is refused although every webhook was lost', async () => {
    const shopper = newShopper();
    await shopper.fillCart();
    await place(shopper);
    const [order] = await ordersOf(shop, shopper);
    toShop.weather = 'lose';
    try {
      await owner.pay(order?.paymentId ?? '');
      const { redirect, reason } = await place(shopper);
      expect(redirect).toBe('');
      expect(reason).toMatch(/you need not pay again/);
    } finally {
      toShop.weather = 'pass';
    }
    expect(await openPayments(owner, await ordersOf(shop, shopper))).toEqual([]);
  });

  it('causes the first payment to be cancelled when the cart was changed', async () => {
    const shopper = newShopper();
    await shopper.fillCart();
    await place(shopper);
    await shopper.fillCart();
    await place(shopper);
    const orders = await ordersOf(shop, shopper);
    expect(orders.map(({ status }) => status)).toEqual(['cancelled', 'pending']);
    expect(await openPayments(owner, orders)).toEqual([orders[1]?.paymentId]);
  });

  it('leaves only one payment open when two tabs request one concurrently', async () => {
    const shopper = newShopper();
    await shopper.fillCart();
    await Promise.all([place(shopper), place(shopper)]);
    expect(await openPayments(owner, await ordersOf(shop, shopper))).toHaveLength(1);
  });
});

it('a WooCommerce cart is emptied at the next page view in another tab, with a message', async () => {
  const { shopper, orderId, paymentId } = await placed();
  await owner.payFinally(paymentId);
  await isTold(shop, orderId, 'paid');
  const shown = await shopper.open(pages.classic);
  expect(shown.html).toMatch(/Your payment for order \d+ was seen: you need not pay again/);
  expect(await shopper.isCartEmpty()).toBe(true);
});

it('a WooCommerce order with received money cannot be paid by another method on its own page', async () => {
  const { shopper, orderId, paymentId } = await placed();
  const { pay, received } = await pagesOf(orderId);
  await owner.pay(paymentId);
  expect((await shopper.payFor(pay, 'bacs')).url).toBe(received);
  await isTold(shop, orderId, 'seen');
});

it('a WooCommerce order can be paid on its own page again, without a payment notice, once its payment is reversed', async () => {
  const { shopper, orderId, paymentId } = await placed();
  await owner.pay(paymentId);
  await isTold(shop, orderId, 'seen');
  expect((await shopper.open(pages.classic)).html).toContain('you need not pay again');
  await owner.takeBack(paymentId);
  await isTold(shop, orderId, 'waiting', 'lost');
  const shown = await shopper.open(pages.classic);
  expect(shown.html).not.toContain('you need not pay again');
  expect(shown.html).toMatch(/order \d+ is gone: the order is not paid/);
  const { back, pay } = await pagesOf(orderId);
  expect((await shopper.open(back)).url).toBe(pay);
});

it('a WooCommerce customer who underpaid sees a request for the remaining amount on the cart page', async () => {
  const { shopper, orderId, paymentId } = await placed();
  await owner.pay(paymentId, 'underpay');
  await isTold(shop, orderId, 'short');
  expect((await shopper.open(pages.classic)).html).toMatch(
    /A part of the amount for order \d+ has arrived: please pay the rest/,
  );
});
