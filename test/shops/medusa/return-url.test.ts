import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { MedusaShop } from './driver.ts';

/** Where customers come back to, which payment an order follows, and refunds of both sides. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: MedusaShop;
let toShop: ShopProxy;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  shop = stack.use(await MedusaShop.open({ tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port }));
  await shop.connect((address) => owner.agree(address));
}, 600_000);
afterAll(() => stack.disposeAsync());

/** Follows the link that tilld's page shows, as the customer's browser does. */
async function comeBack(paymentId: string): Promise<string> {
  const { successUrl, returnUrl } = await owner.payment(paymentId);
  expect(successUrl).toBe(returnUrl);
  const answer = await fetch(returnUrl ?? '', { redirect: 'manual' });
  expect(answer.status).toBe(303);
  return answer.headers.get('location') ?? '';
}

async function reaches(cartId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.state(cartId),
    (state) => state === wanted,
    60_000,
  );
}

async function told(cartId: string, part: string): Promise<void> {
  await eventually(
    `it is told: ${part}`,
    () => shop.notes(cartId),
    (notes) => notes.some((note) => note.includes(part)),
    60_000,
  );
}

async function paidOrder() {
  const order = await shop.order({ email: 'payer@example.com' });
  await owner.payFinally(order.paymentId);
  await reaches(order.orderId, 'paid');
  return order;
}

/** A cart with a payment that ended, and another one that waits. */
async function withSecond() {
  const first = await shop.order({ email: 'payer@example.com' });
  await owner.cancel(first.paymentId);
  await eventually(
    'the shop knows that it ended',
    async () => (await shop.paymentsOf(first.orderId)).map(({ state }) => state),
    ([state]) => state === 'lost',
    60_000,
  );
  const second = await shop.payAgain(first.orderId);
  expect(second.paymentId).not.toBe(first.paymentId);
  return { cartId: first.orderId, first: first.paymentId, second: second.paymentId };
}

// First, while the wallet holds the money of one payment only.
it('the Medusa plugin replaces a claimed refund link by one that deducts the fee, when the wallet has only that money', async () => {
  const { orderId, paymentId } = await paidOrder();
  const { linkUrl } = await shop.refund(orderId);
  await owner.claim(linkUrl);
  await owner.approve(paymentId);
  await told(orderId, 'with the fee deducted');
  const [before] = (await shop.payment(orderId)).refunds;
  await shop.admin('POST', `/admin/tilld/refunds/${before?.id}/renew`, { deduct_fee: true });
  const [link] = (await shop.payment(orderId)).refunds;
  expect(link?.url).not.toBe(linkUrl);
  await told(orderId, 'less the network fee');
  await owner.claimAndApprove(link?.url ?? '', paymentId);
  await eventually('it is paid', () => shop.refundSettled(orderId), Boolean, 60_000);
});

it('the Medusa plugin redirects a customer who has not paid to the checkout, and one who has paid to the confirmation', async () => {
  const { orderId: cartId, paymentId } = await shop.order({ email: 'payer@example.com' });
  expect(await comeBack(paymentId)).toBe('http://localhost:8000/checkout');
  toShop.weather = 'lose';
  try {
    await owner.pay(paymentId);
    const confirmed = await comeBack(paymentId);
    const { orderId } = await shop.payment(cartId);
    expect(confirmed).toBe(`http://localhost:8000/order/${orderId}/confirmed`);
    await owner.mine(paymentId);
    expect(await comeBack(paymentId)).toBe(confirmed);
  } finally {
    toShop.weather = 'pass';
  }
  expect(await shop.state(cartId)).toBe('paid');
});

it('the Medusa plugin leads a customer who underpaid to the checkout with the remaining amount, and shows the received amount in the storefront', async () => {
  const { orderId: cartId, paymentId, checkoutUrl } = await shop.order({ email: 'payer@example.com' });
  await owner.payFinally(paymentId, 'underpay');
  expect(await comeBack(paymentId)).toBe(checkoutUrl);
  const status = await shop.status('cart_id', cartId);
  expect(status).toMatchObject({ id: paymentId, checkout_url: checkoutUrl, state: 'short', amount: '25.00' });
  expect(Number(status['received'])).toBeGreaterThan(0);
  await owner.payFinally(paymentId);
  await reaches(cartId, 'paid');
  const { orderId } = await shop.payment(cartId);
  expect(await shop.status('order_id', orderId ?? '')).toMatchObject({ id: paymentId, state: 'paid' });
});

it('the Medusa plugin does not redirect a customer whose reference in the URL was changed', async () => {
  const { paymentId } = await shop.order();
  const { returnUrl } = await owner.payment(paymentId);
  const url = new URL(returnUrl ?? '');
  const other = (await shop.order()).orderId;
  const guessed = url.href.replace(/return\/[^.]+\./, `return/${other}.`);
  for (const each of [`${url.href}x`, guessed, `${toShop.url}/tilld/return/${other}`])
    expect((await fetch(each, { redirect: 'manual' })).status).toBe(404);
});

it('the Medusa plugin places the order with late money on an earlier payment, cancels the open payment, and refunds from the earlier one', async () => {
  const { cartId, first, second } = await withSecond();
  await owner.payFinally(first, 'late');
  await reaches(cartId, 'paid');
  expect((await owner.payment(second)).status).toBe('cancelled');
  expect(await shop.payment(cartId)).toMatchObject({ id: first, captured: true });
  const { linkUrl } = await shop.refund(cartId);
  await owner.claimAndApprove(linkUrl, first);
  await eventually('it is paid', () => shop.refundSettled(cartId), Boolean, 60_000);
});

it('the Medusa plugin reports to the shopkeeper when the money of an earlier payment with which an order was paid is reversed', async () => {
  const { cartId, first } = await withSecond();
  await owner.payFinally(first, 'late');
  await reaches(cartId, 'paid');
  await owner.takeBack(first);
  await told(cartId, 'gone after it was final');
});

it('the Medusa plugin creates no second payment when an earlier one has late money whose webhook was lost', async () => {
  const { cartId, first, second } = await withSecond();
  toShop.weather = 'lose';
  try {
    await owner.payFinally(first, 'late');
    expect((await shop.payAgain(cartId)).paymentId).toBe(first);
    expect((await owner.payment(second)).status).toBe('cancelled');
    await shop.reconcile();
    await reaches(cartId, 'paid');
  } finally {
    toShop.weather = 'pass';
  }
});

it('the Medusa plugin refuses a changed price when an earlier payment has late money, with the reason', async () => {
  const { cartId, first } = await withSecond();
  toShop.weather = 'lose';
  try {
    await owner.payFinally(first, 'late');
    await expect(shop.changeCart(cartId, 2)).rejects.toThrow('no second payment is made');
  } finally {
    toShop.weather = 'pass';
  }
});

it('the Medusa plugin reports an order that was paid twice to the shopkeeper', async () => {
  const { cartId, first, second } = await withSecond();
  await owner.payFinally(second);
  await reaches(cartId, 'paid');
  await owner.payFinally(first, 'late');
  await told(cartId, `though payment ${second} has the money of the order`);
  expect(await shop.payment(cartId)).toMatchObject({ id: second });
});

it('the Medusa plugin records a partial refund made in tilld once', async () => {
  const { orderId: cartId, paymentId } = await paidOrder();
  await shop.refundPart(cartId, 10);
  const [link] = (await shop.payment(cartId)).refunds;
  await owner.claimAndApprove(link?.url ?? '', paymentId);
  await eventually('the part is paid', () => shop.refundSettled(cartId), Boolean, 60_000);
  await owner.refund(paymentId, '5.00', 'USD');
  await told(cartId, '5.00 USD of this order was given back');
  await shop.reconcile();
  await shop.reconcile();
  const { refunds, orderId } = await shop.payment(cartId);
  expect(refunds.map(({ amount, status }) => [amount, status])).toEqual([
    ['10.00', 'paid'],
    ['5.00', 'paid'],
  ]);
  const { order } = await shop.admin<{ order: { payment_collections: { refunded_amount: number }[] } }>(
    'GET',
    `/admin/orders/${orderId}?fields=*payment_collections`,
  );
  expect(order.payment_collections[0]?.refunded_amount).toBe(15);
});
