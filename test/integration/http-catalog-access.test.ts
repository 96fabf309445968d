import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Account,
  ids,
  PRICE,
  PRODUCT,
  TIME,
  bad,
  noPrice,
  noProduct,
  problem,
  type Json,
  type Method,
} from '../_helpers/catalog-account.ts';
import { startCatalogApp } from '../_helpers/catalog-app.ts';
import { newMerchant, newUser, type HttpApp } from '../_helpers/http-app.ts';

let app: HttpApp;
beforeAll(async () => {
  ({ app } = await startCatalogApp());
});
afterAll(async () => app.destroy());

describe('catalog lists', () => {
  it('are empty at first, with the defaults of pagination', async () => {
    const me = await Account.open(app);
    const pagination = { page: 1, limit: 10, total: 0 };
    expect(await me.must('GET', `${PRODUCT}/list`)).toEqual({ products: [], pagination });
    expect(await me.must('GET', `${PRICE}/list`)).toEqual({ prices: [], pagination });
  });

  it.each(['products', 'prices'] as const)(
    'return %s in pages, newest first, each exactly once, with the exact total',
    async (kind) => {
      const me = await Account.open(app);
      const path = kind === 'products' ? PRODUCT : PRICE;
      const parent = kind === 'prices' ? (await me.product()).id : '';
      const made: string[] = [];
      for (let count = 0; count < 12; count += 1) {
        made.push((await (kind === 'products' ? me.product() : me.price(parent))).id);
      }
      // Three of each millisecond: the order must hold between those, too.
      const start = app.now();
      for (const [count, id] of made.entries()) {
        const at = start + Math.floor(count / 3);
        await app.db.updateTable(kind).set({ createdAt: at }).where('id', '=', id).execute();
      }
      const pages: Json[] = [];
      for (const page of [1, 2, 3, 4]) pages.push(await me.must('GET', `${path}/list?page=${page}&limit=5`));
      expect(pages.map((page) => page[kind].length)).toEqual([5, 5, 2, 0]);
      expect(pages.map(({ pagination }) => pagination)).toEqual(
        [1, 2, 3, 4].map((page) => ({ page, limit: 5, total: 12 })),
      );
      const all = pages.flatMap((page) => page[kind]);
      expect(new Set(ids(all))).toEqual(new Set(made));
      const keys = all.map(({ createdAt, id }) => `${createdAt} ${id}`);
      expect(keys).toEqual([...keys].sort().toReversed());
      expect((await me.must('GET', `${path}/list`))[kind]).toHaveLength(10);
    },
  );

  it('can be filtered by active, prices also by product, with the total of the matches', async () => {
    const me = await Account.open(app);
    const [tea, coffee] = [(await me.product()).id, (await me.product()).id];
    await me.must('PATCH', `${PRODUCT}/edit`, { productId: coffee, active: false });
    expect(await me.productIds('&active=true')).toEqual([tea]);
    expect(await me.productIds('&active=false')).toEqual([coffee]);
    const [first, second, third] = [await me.price(tea), await me.price(tea), await me.price(coffee)];
    await me.must('PATCH', `${PRICE}/edit`, { priceId: second.id, active: false });
    expect(await me.priceIds(`&productId=${coffee}`)).toEqual([third.id]);
    expect(await me.priceIds(`&productId=${tea}&active=true`)).toEqual([first.id]);
    expect(await me.priceIds('&active=false')).toEqual([second.id]);
    expect(await me.priceIds('&productId=prod_nowhere')).toEqual([]);
    const page = await me.must('GET', `${PRICE}/list?productId=${tea}&limit=1`);
    expect(page.pagination).toEqual({ page: 1, limit: 1, total: 2 });
    expect(page.prices).toHaveLength(1);
    expect(await me.must('GET', `${PRICE}/list?productId=${coffee}`)).toEqual({
      prices: [{ ...third, updatedAt: TIME }],
      pagination: { page: 1, limit: 10, total: 1 },
    });
  });

  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=two', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['active=yes', 'active'],
    ['active=1', 'active'],
    ['active=', 'active'],
  ])('reject ?%s and name %s', async (query, field) => {
    const me = await Account.open(app);
    for (const path of [PRODUCT, PRICE]) {
      expect(problem(await me.call('GET', `${path}/list?${query}`))).toEqual(bad(field));
    }
  });
});

describe('credentials for the catalog routes', () => {
  const calls: [Method, string][] = [
    ['POST', `${PRODUCT}/create`],
    ['PATCH', `${PRODUCT}/edit`],
    ['DELETE', `${PRODUCT}/delete`],
    ['GET', `${PRODUCT}/list`],
    ['POST', `${PRICE}/create`],
    ['PATCH', `${PRICE}/edit`],
    ['DELETE', `${PRICE}/delete`],
    ['GET', `${PRICE}/list`],
  ];

  it.each(calls)(
    'are required on %s %s, which rejects missing, invalid and public keys',
    async (method, path) => {
      const merchant = await newMerchant(app, (await newUser(app)).token);
      for (const token of [undefined, 'nonsense', merchant.auth.public, `sk_${'0'.repeat(43)}`]) {
        const answer = await app.api.call<Json>(method, path, token === undefined ? {} : { token });
        expect(problem(answer)).toEqual([401, 'UNAUTHORISED', 'authorization']);
      }
    },
  );

  it('allow a secret key to access the catalog of its owner', async () => {
    const me = await Account.open(app);
    const merchant = await newMerchant(app, me.token);
    const shop = new Account(app, merchant.auth.secret);
    const { id } = await shop.product();
    const price = await me.price(id);
    expect(await me.productIds()).toEqual([id]);
    expect(await shop.priceIds()).toEqual([price.id]);
    await shop.must('PATCH', `${PRICE}/edit`, { priceId: price.id, amount: '3' });
    await shop.must('DELETE', `${PRODUCT}/delete`, { productId: id });
    expect(await me.productIds()).toEqual([]);
  });

  it('do not give access to the catalog of another account', async () => {
    const [me, stranger] = [await Account.open(app), await Account.open(app)];
    const product = await me.product();
    const price = await me.price(product.id);
    const [productId, priceId] = [product.id, price.id];
    const attempts: [Method, string, object, unknown][] = [
      ['PATCH', `${PRODUCT}/edit`, { productId, name: 'Mine' }, noProduct],
      ['DELETE', `${PRODUCT}/delete`, { productId }, noProduct],
      ['POST', `${PRICE}/create`, { productId, amount: '1', currency: 'USD' }, noProduct],
      ['PATCH', `${PRICE}/edit`, { priceId, amount: '1' }, noPrice],
      ['DELETE', `${PRICE}/delete`, { priceId }, noPrice],
    ];
    for (const [method, path, body, expected] of attempts) {
      expect(problem(await stranger.call(method, path, body))).toEqual(expected);
    }
    expect(await stranger.productIds()).toEqual([]);
    expect(await stranger.priceIds(`&productId=${productId}`)).toEqual([]);
    expect((await me.must('GET', `${PRODUCT}/list`)).products).toEqual([product]);
    expect((await me.must('GET', `${PRICE}/list`)).prices).toEqual([{ ...price, updatedAt: TIME }]);
  });
});
