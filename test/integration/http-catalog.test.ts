import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Account,
  PRICE,
  PRODUCT,
  TIME,
  bad,
  noPrice,
  noProduct,
  problem,
} from '../_helpers/catalog-account.ts';
import { startCatalogApp } from '../_helpers/catalog-app.ts';
import { type HttpApp } from '../_helpers/http-app.ts';

let app: HttpApp;
beforeAll(async () => {
  ({ app } = await startCatalogApp());
});
afterAll(async () => app.destroy());

const long = 'x'.repeat(256);

describe('catalog products', () => {
  let me: Account;
  beforeAll(async () => {
    me = await Account.open(app);
  });

  it('are created active, with 201 and a value for every field', async () => {
    const { status, body } = await me.call('POST', `${PRODUCT}/create`, {
      name: ' Tea club ',
      description: 'A box a month',
      recurring: true,
      recurringInterval: 'monthly',
      ignored: 1,
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^prod_[0-9A-Za-z]{24}$/),
      name: 'Tea club',
      description: 'A box a month',
      recurring: true,
      recurringInterval: 'monthly',
      active: true,
      merchantIds: null,
      mayChange: true,
      createdAt: TIME,
      updatedAt: TIME,
    });
  });

  it('require only a name', async () => {
    expect(await me.product()).toMatchObject({
      description: null,
      recurring: false,
      recurringInterval: null,
    });
  });

  it.each([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 7 }, ['name']],
    [{ name: long }, ['name']],
    [{ name: 'a\0b' }, ['name']],
    [{ name: 'Tea', description: 1 }, ['description']],
    [{ name: 'Tea', description: long }, ['description']],
    [{ name: 'Tea', recurring: 'true' }, ['recurring']],
    [{ name: 'Tea', recurring: true }, ['recurringInterval']],
    [{ name: 'Tea', recurring: true, recurringInterval: null }, ['recurringInterval']],
    [{ name: 'Tea', recurring: true, recurringInterval: 'hourly' }, ['recurringInterval']],
    [{ name: 'Tea', recurringInterval: 'monthly' }, ['recurringInterval']],
    [{ name: 'Tea', recurring: false, recurringInterval: 'monthly' }, ['recurringInterval']],
    [{ name: 1, description: 1, recurring: 1 }, ['description', 'name', 'recurring']],
  ])('are not created from %j: %j', async (body, fields) => {
    expect(problem(await me.call('POST', `${PRODUCT}/create`, body))).toEqual(bad(...fields));
  });

  it('are edited field by field, where omitted fields are unchanged and null clears the description', async () => {
    const product = await me.product({ description: 'Green' });
    const edit = async (fields: object) =>
      me.must('PATCH', `${PRODUCT}/edit`, { productId: product.id, ...fields });
    app.advance(1000);
    const renamed = await edit({ name: 'Coffee' });
    expect(renamed).toEqual({
      id: product.id,
      name: 'Coffee',
      description: 'Green',
      active: true,
      updatedAt: TIME,
    });
    expect(renamed.updatedAt > product.updatedAt).toBe(true);
    expect(await edit({ active: false })).toMatchObject({ name: 'Coffee', active: false });
    expect(await edit({ description: null })).toMatchObject({ description: null, active: false });
    expect(await edit({ active: true })).toMatchObject({ name: 'Coffee', active: true });
  });

  it.each([
    [{}, bad('productId')],
    [{ productId: 5 }, bad('productId')],
    [{ productId: 'prod_x', name: '' }, bad('name')],
    [{ productId: 'prod_x', name: null }, bad('name')],
    [{ productId: 'prod_x', description: long }, bad('description')],
    [{ productId: 'prod_x', active: 'no' }, bad('active')],
    [{ productId: 'prod_x', active: 1 }, bad('active')],
    [{ productId: 'prod_x' }, noProduct],
    [{ productId: 'not even an id' }, noProduct],
  ])('are not edited by %j: %j', async (body, expected) => {
    expect(problem(await me.call('PATCH', `${PRODUCT}/edit`, body))).toEqual(expected);
  });

  it('are no longer returned by any route once deleted, together with their prices', async () => {
    const { id } = await me.product();
    const price = await me.price(id);
    const other = await me.price((await me.product()).id);
    expect(await me.must('DELETE', `${PRODUCT}/delete`, { productId: id })).toEqual({
      deleted: true,
      productId: id,
    });
    expect(problem(await me.call('DELETE', `${PRODUCT}/delete`, { productId: id }))).toEqual(noProduct);
    expect(problem(await me.call('PATCH', `${PRODUCT}/edit`, { productId: id, active: true }))).toEqual(
      noProduct,
    );
    const body = { productId: id, amount: '1', currency: 'USD' };
    expect(problem(await me.call('POST', `${PRICE}/create`, body))).toEqual(noProduct);
    expect(problem(await me.call('PATCH', `${PRICE}/edit`, { priceId: price.id, amount: '2' }))).toEqual(
      noPrice,
    );
    expect(problem(await me.call('DELETE', `${PRICE}/delete`, { priceId: price.id }))).toEqual(noPrice);
    expect(await me.productIds()).not.toContain(id);
    expect(await me.priceIds()).not.toContain(price.id);
    expect(await me.priceIds(`&productId=${id}`)).toEqual([]);
    expect(await me.priceIds()).toContain(other.id);
  });

  it.each([[{}, bad('productId')] as const, [{ productId: 'prod_x' }, noProduct] as const])(
    'are not deleted by %j: %j',
    async (body, expected) => {
      expect(problem(await me.call('DELETE', `${PRODUCT}/delete`, body))).toEqual(expected);
    },
  );
});

describe('catalog prices', () => {
  let me: Account;
  let productId: string;
  beforeAll(async () => {
    me = await Account.open(app);
    productId = (await me.product()).id;
  });

  it('are created active, with 201, the currency in upper case', async () => {
    const { status, body } = await me.call('POST', `${PRICE}/create`, {
      productId,
      amount: '49.90',
      currency: 'eur',
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^price_[0-9A-Za-z]{24}$/),
      productId,
      amount: '49.90',
      currency: 'EUR',
      active: true,
      createdAt: TIME,
    });
  });

  it.each([
    ['1500', 'JPY'],
    ['0.001', 'KWD'],
    ['999999999999.99', 'USD'],
    ['7', 'USD'],
  ])('accept %s %s', async (amount, currency) => {
    expect(await me.price(productId, { amount, currency })).toMatchObject({ amount, currency });
  });

  it.each([
    ['0', 'USD'],
    ['0.00', 'USD'],
    ['-1', 'USD'],
    ['+1', 'USD'],
    ['1e3', 'USD'],
    ['1,50', 'USD'],
    ['.5', 'USD'],
    ['', 'USD'],
    ['12.345', 'USD'],
    ['10.5', 'JPY'],
    ['0.0001', 'KWD'],
    ['1000000000000', 'USD'],
    [12.5, 'USD'],
    [null, 'USD'],
  ])('refuse %j %s and name the amount', async (amount, currency) => {
    const body = { productId, amount, currency };
    expect(problem(await me.call('POST', `${PRICE}/create`, body))).toEqual(bad('amount'));
  });

  it.each([
    [{}, ['amount', 'currency', 'productId']],
    [{ amount: '1' }, ['currency']],
    [{ currency: 'USD' }, ['amount']],
    [{ amount: '1', currency: 'XYZ' }, ['currency']],
    [{ amount: '1', currency: 'BTC' }, ['currency']],
    [{ amount: '1', currency: 840 }, ['currency']],
    [{ amount: '1', currency: 'USD', productId: '' }, ['productId']],
  ])('are not created from %j: %j', async (fields, names) => {
    const body = Object.keys(fields).length === 0 ? {} : { productId, ...fields };
    expect(problem(await me.call('POST', `${PRICE}/create`, body))).toEqual(bad(...names));
  });

  it('require an existing product, which may be inactive', async () => {
    const body = { productId: 'prod_nowhere', amount: '1', currency: 'USD' };
    expect(problem(await me.call('POST', `${PRICE}/create`, body))).toEqual(noProduct);
    const { id } = await me.product();
    await me.must('PATCH', `${PRODUCT}/edit`, { productId: id, active: false });
    expect(await me.price(id)).toMatchObject({ productId: id, active: true });
  });

  it('are edited field by field', async () => {
    const price = await me.price(productId);
    const edit = async (fields: object) =>
      me.must('PATCH', `${PRICE}/edit`, { priceId: price.id, ...fields });
    app.advance(1000);
    const edited = await edit({ amount: '13' });
    expect(edited).toEqual({
      id: price.id,
      amount: '13',
      currency: 'USD',
      active: true,
      updatedAt: TIME,
    });
    expect(edited.updatedAt > price.createdAt).toBe(true);
    expect(await edit({ currency: 'eur' })).toMatchObject({ amount: '13', currency: 'EUR' });
    expect(await edit({ active: false })).toMatchObject({ amount: '13', active: false });
    expect(await edit({ amount: '900', currency: 'JPY' })).toMatchObject({ active: false, currency: 'JPY' });
  });

  it('keep amount and currency consistent when only one of them is edited', async () => {
    const dollars = await me.price(productId, { amount: '12.50', currency: 'USD' });
    const yen = await me.price(productId, { amount: '1200', currency: 'JPY' });
    const edit = async (priceId: string, fields: object) =>
      me.call('PATCH', `${PRICE}/edit`, { priceId, ...fields });
    expect(problem(await edit(dollars.id, { currency: 'JPY' }))).toEqual(bad('currency'));
    expect(problem(await edit(yen.id, { amount: '12.5' }))).toEqual(bad('amount'));
    expect(problem(await edit(dollars.id, { amount: '12.5', currency: 'JPY' }))).toEqual(bad('amount'));
    const { prices } = await me.must('GET', `${PRICE}/list?limit=100`);
    expect(prices).toContainEqual({ ...dollars, updatedAt: TIME });
    expect(prices).toContainEqual({ ...yen, updatedAt: TIME });
  });

  it.each([
    [{}, bad('priceId')],
    [{ priceId: 'price_x', amount: '0' }, bad('amount')],
    [{ priceId: 'price_x', currency: 'nope' }, bad('currency')],
    [{ priceId: 'price_x', active: null }, bad('active')],
    [{ priceId: 'price_x', active: 'yes', amount: 1, currency: 1 }, bad('active', 'amount', 'currency')],
    [{ priceId: 'price_x' }, noPrice],
  ])('are not edited by %j: %j', async (body, expected) => {
    expect(problem(await me.call('PATCH', `${PRICE}/edit`, body))).toEqual(expected);
  });

  it('are no longer returned by any route once deleted', async () => {
    const { id } = await me.price(productId);
    expect(await me.must('DELETE', `${PRICE}/delete`, { priceId: id })).toEqual({
      deleted: true,
      priceId: id,
    });
    expect(problem(await me.call('DELETE', `${PRICE}/delete`, { priceId: id }))).toEqual(noPrice);
    expect(problem(await me.call('PATCH', `${PRICE}/edit`, { priceId: id, active: true }))).toEqual(noPrice);
    expect(await me.priceIds()).not.toContain(id);
    expect(problem(await me.call('DELETE', `${PRICE}/delete`, {}))).toEqual(bad('priceId'));
  });
});
