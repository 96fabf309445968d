import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiAnswer } from '../_helpers/api-client.ts';
import {
  Account,
  PRICE,
  PRODUCT,
  bad,
  noPrice,
  noProduct,
  problem,
  type Json,
} from '../_helpers/catalog-account.ts';
import { startCatalogApp, type TestRates } from '../_helpers/catalog-app.ts';
import { newMerchant, type HttpApp } from '../_helpers/http-app.ts';

let app: HttpApp;
let rates: TestRates;
beforeAll(async () => {
  ({ app, rates } = await startCatalogApp());
});
afterAll(async () => app.destroy());

async function paymentCount(): Promise<number> {
  const { total } = await app.db
    .selectFrom('payments')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

describe('a payment by catalog price', () => {
  let me: Account;
  let publicKey: string;
  let secretKey: string;
  let customerId: string;
  let productId: string;
  let priceId: string;
  let orders = 0;
  beforeAll(async () => {
    me = await Account.open(app);
    ({ public: publicKey, secret: secretKey } = (await newMerchant(app, me.token)).auth);
    customerId = (await me.must('POST', '/merchant/customer/create', { email: 'buyer@example.com' })).id;
    productId = (await me.product()).id;
    priceId = (await me.price(productId)).id;
  });

  /** Asks for a payment as a shop's page does. */
  async function pay(fields: object): Promise<ApiAnswer<Json>> {
    orders += 1;
    const body = { customerId, orderId: `order-${orders}`, ...fields };
    return app.api.call<Json>('POST', '/payment/create', { token: publicKey, body });
  }

  it('costs the catalog price and records product and price', async () => {
    const { status, body } = await pay({ productId, priceId });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ amount: '12.50', currency: 'USD', productId, priceId });
    expect(body.data.options.BTC.amount).toBe('0.000125');
    const path = `/payment/get?paymentId=${body.data.id}`;
    expect(await app.api.must<Json>('GET', path, { token: secretKey })).toMatchObject({
      amount: '12.50',
      currency: 'USD',
      productId,
      priceId,
    });
  });

  it('records neither product nor price when it was created with an amount', async () => {
    const { status, body } = await pay({ amount: '5', currency: 'USD' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ amount: '5', currency: 'USD', productId: null, priceId: null });
  });

  it('waits until rates in the currency of its price are loaded', async () => {
    const yen = await me.price(productId, { amount: '1500', currency: 'JPY' });
    rates.asked.length = 0;
    const { body } = await pay({ productId, priceId: yen.id });
    expect(rates.asked).toEqual(['JPY']);
    expect(body.data).toMatchObject({ amount: '1500', currency: 'JPY' });
    expect(body.data.options.LTC.amount).toBe('0.15');
    const thalers = await me.price(productId, { amount: '15', currency: 'CHF' });
    expect(problem(await pay({ productId, priceId: thalers.id }))).toEqual([503, 'RATE_UNAVAILABLE']);
  });

  it.each([
    [{}, ['amount', 'currency']],
    [{ amount: '5' }, ['currency']],
    [{ currency: 'USD' }, ['amount']],
    [{ productId: 'p' }, ['priceId']],
    [{ priceId: 'p' }, ['productId']],
    [
      { amount: '5', currency: 'USD', productId: 'p', priceId: 'p' },
      ['amount', 'currency', 'priceId', 'productId'],
    ],
    [{ amount: '5', currency: 'USD', priceId: 'p' }, ['amount', 'currency', 'priceId']],
    [{ amount: '5', productId: 'p' }, ['amount', 'productId']],
    [{ productId: '', priceId: 'p' }, ['productId']],
    [{ productId: 'p', priceId: 5 }, ['priceId']],
    [{ amount: '5.001', currency: 'USD' }, ['amount']],
    [{ amount: 5, customerId: 5 }, ['amount', 'currency', 'customerId']],
  ])('is rejected in the form %j, naming %j', async (fields, names) => {
    expect(problem(await pay(fields))).toEqual(bad(...names));
  });

  it('is refused when the price is unknown, deleted, inactive or of another product', async () => {
    const refused = async (id: string) =>
      expect(problem(await pay({ productId, priceId: id }))).toEqual(noPrice);
    const before = await paymentCount();
    await refused('price_nowhere');
    await refused((await me.price((await me.product()).id)).id);
    const deleted = await me.price(productId);
    await me.must('DELETE', `${PRICE}/delete`, { priceId: deleted.id });
    await refused(deleted.id);
    const resting = await me.price(productId);
    await me.must('PATCH', `${PRICE}/edit`, { priceId: resting.id, active: false });
    await refused(resting.id);
    expect(await paymentCount()).toBe(before);
    await me.must('PATCH', `${PRICE}/edit`, { priceId: resting.id, active: true });
    expect((await pay({ productId, priceId: resting.id })).status).toBe(201);
  });

  it('is refused when the product is unknown, deleted or inactive', async () => {
    expect(problem(await pay({ productId: 'prod_nowhere', priceId }))).toEqual(noProduct);
    const other = await me.product();
    const price = await me.price(other.id);
    const attempt = { productId: other.id, priceId: price.id };
    await me.must('PATCH', `${PRODUCT}/edit`, { productId: other.id, active: false });
    expect(problem(await pay(attempt))).toEqual(noProduct);
    await me.must('PATCH', `${PRODUCT}/edit`, { productId: other.id, active: true });
    expect((await pay(attempt)).status).toBe(201);
    await me.must('DELETE', `${PRODUCT}/delete`, { productId: other.id });
    expect(problem(await pay(attempt))).toEqual(noProduct);
  });

  it('is rejected for a price of another account as if it did not exist', async () => {
    const stranger = await Account.open(app);
    const product = await stranger.product();
    const price = await stranger.price(product.id);
    const theirs = { productId: product.id, priceId: price.id };
    expect(problem(await pay(theirs))).toEqual(noProduct);
    expect(problem(await pay({ productId, priceId: price.id }))).toEqual(noPrice);
  });

  it('reports an amount too small for any coin as an error of the price', async () => {
    const price = await me.price(productId, { amount: '0.01' });
    const fields = { productId, priceId: price.id, allowedCryptos: ['BTC'] };
    expect(problem(await pay(fields))).toEqual(bad('priceId'));
  });

  it('keeps its amount and stays readable when price and product are edited or deleted later', async () => {
    const product = await me.product();
    const price = await me.price(product.id, { amount: '20' });
    const attempt = { productId: product.id, priceId: price.id, orderId: 'kept' };
    const { body } = await pay(attempt);
    await me.must('PATCH', `${PRICE}/edit`, { priceId: price.id, amount: '30' });
    await me.must('DELETE', `${PRODUCT}/delete`, { productId: product.id });
    const path = `/payment/get?paymentId=${body.data.id}`;
    expect(await app.api.must<Json>('GET', path, { token: secretKey })).toMatchObject({
      amount: '20',
      productId: product.id,
      priceId: price.id,
    });
    const again = await pay(attempt);
    expect([again.status, again.body.data.id]).toEqual([200, body.data.id]);
  });

  it('is returned again for the same order id and price, while another price for that order id is rejected', async () => {
    const { body } = await pay({ productId, priceId, orderId: 'twice' });
    const again = await pay({ productId, priceId, orderId: 'twice' });
    expect([again.status, again.body.data.id]).toEqual([200, body.data.id]);
    const other = await me.price(productId);
    const third = await pay({ productId, priceId: other.id, orderId: 'twice' });
    expect(problem(third)).toEqual([400, 'DUPLICATE_ENTRY', 'orderId']);
    const fourth = await pay({ amount: '12.50', currency: 'USD', orderId: 'twice' });
    expect(problem(fourth)).toEqual([400, 'DUPLICATE_ENTRY', 'orderId']);
  });

  it('costs the price at the time of storing when the price was edited while rates were loaded', async () => {
    const price = await me.price(productId, { amount: '20' });
    rates.meanwhile = async () => me.must('PATCH', `${PRICE}/edit`, { priceId: price.id, amount: '25' });
    const { body } = await pay({ productId, priceId: price.id });
    expect(body.data).toMatchObject({ amount: '25' });
    expect(body.data.options.BTC.amount).toBe('0.00025');
  });

  it('is rejected when the price is deleted while rates are loaded', async () => {
    const price = await me.price(productId);
    const before = await paymentCount();
    rates.meanwhile = async () => me.must('DELETE', `${PRICE}/delete`, { priceId: price.id });
    expect(problem(await pay({ productId, priceId: price.id }))).toEqual(noPrice);
    expect(await paymentCount()).toBe(before);
  });
});
