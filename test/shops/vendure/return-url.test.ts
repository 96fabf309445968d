import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Owner } from '../_helpers/owner.ts';
import { ShopProxy } from '../_helpers/proxies.ts';
import { VendureShop } from './driver.ts';

/** Where customers come back to, and which payment an order follows. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: VendureShop;
let toShop: ShopProxy;

beforeAll(async () => {
  owner = stack.use(await Owner.start());
  toShop = stack.use(await ShopProxy.start());
  const port = await freePort();
  toShop.port = port;
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: toShop.url, port };
  shop = stack.use(await VendureShop.start(setup));
  await shop.connect((address) => owner.agree(address));
});
afterAll(() => stack.disposeAsync());

interface Status {
  readonly paymentId: string;
  readonly checkoutUrl: string;
  readonly state: string;
  readonly amount: string | null;
  readonly received: string | null;
}

/** Follows the link that tilld's page shows, as the customer's browser does. */
async function comeBack(paymentId: string): Promise<string> {
  const { successUrl, returnUrl } = await owner.payment(paymentId);
  expect(successUrl).toBe(returnUrl);
  const answer = await fetch(returnUrl ?? '', { redirect: 'manual' });
  expect(answer.status).toBe(303);
  return answer.headers.get('location') ?? '';
}

async function statusOf(orderId: string): Promise<Status> {
  const query =
    '{ activeOrder { code tilldPayment { paymentId checkoutUrl state amount received expiresAt } } }';
  const { activeOrder } = await shop.asCustomer<{ activeOrder: { tilldPayment: Status } }>(orderId, query);
  return activeOrder.tilldPayment;
}

async function payAgain(
  orderId: string,
): Promise<{ errorCode?: string; message?: string; returnUrl: string }> {
  const query = `mutation { createTilldPayment { __typename ... on TilldCheckout { paymentId returnUrl }
    ... on TilldCheckoutError { errorCode message returnUrl } } }`;
  const { createTilldPayment } = await shop.asCustomer<{
    createTilldPayment: { errorCode?: string; message?: string; returnUrl: string };
  }>(orderId, query);
  return createTilldPayment;
}

async function reaches(orderId: string, wanted: string): Promise<void> {
  await eventually(
    `the order is ${wanted}`,
    () => shop.state(orderId),
    (state) => state === wanted,
    60_000,
  );
}

it('the Vendure plugin redirects a customer who has not paid to the checkout, and one who has paid to the confirmation', async () => {
  const { orderId, paymentId } = await shop.order();
  const { orderId: code } = await owner.payment(paymentId);
  expect(await comeBack(paymentId)).toBe('https://shop.example/checkout');
  toShop.weather = 'lose';
  try {
    await owner.pay(paymentId);
    expect(await comeBack(paymentId)).toBe(`https://shop.example/thanks/${code}?status=seen`);
    const refused = await payAgain(orderId);
    expect(refused.errorCode).toBeUndefined();
    await owner.mine(paymentId);
    expect(await comeBack(paymentId)).toBe(`https://shop.example/thanks/${code}?status=paid`);
  } finally {
    toShop.weather = 'pass';
  }
  expect(await shop.state(orderId)).toBe('paid');
});

it('the Vendure plugin leads a customer who underpaid to the checkout with the remaining amount, and shows the received amount in the storefront', async () => {
  const { orderId, paymentId, checkoutUrl } = await shop.order();
  await owner.payFinally(paymentId, 'underpay');
  expect(await comeBack(paymentId)).toBe(checkoutUrl);
  const status = await statusOf(orderId);
  expect(status).toMatchObject({ paymentId, checkoutUrl, state: 'short', amount: '25.00' });
  expect(Number(status.received)).toBeGreaterThan(0);
  await owner.payFinally(paymentId);
  await reaches(orderId, 'paid');
});

it('the Vendure plugin closes the cart of an order with money, and reopens it when the money is reversed', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.pay(paymentId);
  await reaches(orderId, 'seen');
  await expect(shop.changeQuantity(orderId, 2)).rejects.toThrow('Money for this order is under way');
  await owner.takeBack(paymentId);
  await eventually(
    'the money is gone',
    () => shop.state(orderId),
    (state) => state !== 'seen',
    60_000,
  );
  await shop.changeQuantity(orderId, 2);
});

it('the Vendure plugin does not redirect a customer whose reference in the URL was changed, nor to a foreign URL', async () => {
  const { orderId, paymentId } = await shop.order();
  const { returnUrl } = await owner.payment(paymentId);
  const guessed = (returnUrl ?? '').replace(/(return\/[^.]+)\.[^.]+\./, '$1.1.');
  for (const url of [`${returnUrl}x`, guessed, `${toShop.url}/tilld/return/1.1.${'A'.repeat(22)}`])
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(404);
  const query = `mutation { createTilldPayment(input: { returnUrl: "https://evil.example/", successUrl: "//evil.example" }) { __typename } }`;
  await shop.asCustomer(orderId, query);
  expect(await comeBack(paymentId)).toBe('https://shop.example/checkout');
  const own = `mutation { createTilldPayment(input: { returnUrl: "https://shop.example/de/kasse?p={paymentId}" }) { __typename } }`;
  await shop.asCustomer(orderId, own);
  expect(await comeBack(paymentId)).toBe(`https://shop.example/de/kasse?p=${paymentId}`);
});

it('the Vendure plugin places the order with late money on an earlier payment, cancels the open payment, and refunds from the earlier one', async () => {
  const first = await shop.order();
  const { orderId } = first;
  await owner.cancel(first.paymentId);
  await reaches(orderId, 'lost');
  const second = await shop.changeCart(orderId, 1);
  expect(second.paymentId).not.toBe(first.paymentId);
  await owner.payFinally(first.paymentId, 'late');
  await reaches(orderId, 'paid');
  expect((await owner.payment(second.paymentId)).status).toBe('cancelled');
  const current = (await shop.paymentsOf(orderId)).find(({ isCurrent }) => isCurrent);
  expect(current?.paymentId).toBe(first.paymentId);
  const { linkUrl } = await shop.refund(orderId);
  await owner.claimAndApprove(linkUrl, first.paymentId);
  await reaches(orderId, 'refunded');
});

it('the Vendure plugin leaves a payment open whose money was reversed, so that the customer can pay again', async () => {
  const { orderId, paymentId } = await shop.order();
  await owner.payFinally(paymentId);
  await reaches(orderId, 'paid');
  await owner.takeBack(paymentId);
  await eventually(
    'the order is open',
    () => shop.orderState(orderId),
    (state) => state === 'ArrangingAdditionalPayment',
    60_000,
  );
  expect((await owner.payment(paymentId)).status).toBe('pending');
  const { checkoutUrl } = await owner.payment(paymentId);
  expect(await comeBack(paymentId)).toBe(checkoutUrl);
});

it('the Vendure plugin reopens the order when the money of an earlier payment with which it was paid is reversed', async () => {
  const first = await shop.order();
  const { orderId } = first;
  await owner.cancel(first.paymentId);
  await reaches(orderId, 'lost');
  await shop.changeCart(orderId, 1);
  await owner.payFinally(first.paymentId, 'late');
  await reaches(orderId, 'paid');
  await owner.takeBack(first.paymentId);
  await eventually(
    'the order is open',
    () => shop.orderState(orderId),
    (state) => state === 'ArrangingAdditionalPayment',
    60_000,
  );
});

it('the Vendure plugin refuses a second payment when an earlier one has late money whose webhook was lost, with a link to the order', async () => {
  const first = await shop.order();
  const { orderId } = first;
  await owner.cancel(first.paymentId);
  await reaches(orderId, 'lost');
  const second = await shop.changeCart(orderId, 1);
  toShop.weather = 'lose';
  try {
    await owner.payFinally(first.paymentId, 'late');
    const refused = await payAgain(orderId);
    expect(refused).toMatchObject({ errorCode: 'MONEY_SEEN', message: 'This order was paid already' });
    expect((await owner.payment(second.paymentId)).status).toBe('cancelled');
    const answer = await fetch(refused.returnUrl, { redirect: 'manual' });
    expect(answer.headers.get('location')).toContain('https://shop.example/thanks/');
  } finally {
    toShop.weather = 'pass';
  }
});

it('the Vendure plugin reports an order that was paid twice to the shopkeeper, with the second payment', async () => {
  const first = await shop.order();
  const { orderId } = first;
  await owner.cancel(first.paymentId);
  await reaches(orderId, 'lost');
  const second = await shop.changeCart(orderId, 1);
  await owner.payFinally(second.paymentId);
  await reaches(orderId, 'paid');
  await owner.payFinally(first.paymentId, 'late');
  const note = `payment ${first.paymentId} was paid as well`;
  const notes = await eventually(
    'it is told',
    () => shop.notes(orderId),
    (all) => all.some((each) => each.includes(note)),
    60_000,
  );
  expect(notes.join('\n')).toContain(`by payment ${second.paymentId}`);
});

it('the Vendure plugin cancels the tilld payment of an order that was paid by another method', async () => {
  const method = `mutation { createPaymentMethod(input: { code: "card", enabled: true, translations: [{ languageCode: en, name: "Card", description: "" }],
    handler: { code: "dummy-payment-handler", arguments: [{ name: "automaticSettle", value: "true" }] } }) { id } }`;
  await shop.admin.ask(method);
  const { orderId, paymentId } = await shop.order();
  const pay = `mutation { addPaymentToOrder(input: { method: "card", metadata: {} }) { __typename ... on Order { state } } }`;
  const { addPaymentToOrder } = await shop.asCustomer<{ addPaymentToOrder: { state?: string } }>(
    orderId,
    pay,
  );
  expect(addPaymentToOrder.state).toBe('PaymentSettled');
  await eventually(
    'the payment in tilld is cancelled',
    () => owner.payment(paymentId),
    ({ status }) => status === 'cancelled',
    60_000,
  );
});
