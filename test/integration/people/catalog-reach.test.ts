import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let owner: Person;
let a: Shop;
let b: Shop;
let manager: Person;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
});
afterAll(async () => till.end());
beforeEach(async () => {
  owner = await newPerson(till.api, 'owner');
  a = await Shop.open(till.api, { owner: owner.token });
  b = await Shop.open(till.api, { owner: owner.token });
  manager = await newMember(till.api, owner.session, { merchantId: a.merchantId, role: 'manager' });
});

interface Product {
  readonly id: string;
  readonly merchantIds?: string[] | null;
  readonly mayChange: boolean;
}
interface Entry {
  readonly action: string;
  readonly objectId: string;
  readonly actor: { readonly id: string };
}
interface By {
  readonly token: string;
  /** Named in the query. */
  readonly shop?: Shop;
}

const call = async <T = { id: string }>(by: By, method: string, path: string, body?: object) => {
  const of = by.shop === undefined ? '' : `?merchantId=${by.shop.merchantId}`;
  return till.api.call<T>(method, path + of, { token: by.token, ...(body === undefined ? {} : { body }) });
};
const must = async <T = { id: string }>(by: By, method: string, path: string, body?: object) => {
  const answer = await call<T>(by, method, path, body);
  expect(answer.body.error).toBeNull();
  return answer.body.data;
};
const product = async (by: By, fields: object = {}) =>
  must<Product>(by, 'POST', '/merchant/product/create', { name: 'Tea', ...fields });
const price = async (by: By, productId: string) =>
  must(by, 'POST', '/merchant/price/create', { productId, amount: '50', currency: 'USD' });
const sell = async (shop: Shop, productId: string, priceId: string) =>
  must(keyOf(shop), 'POST', '/payment/create', { productId, priceId, customer: {}, orderId: priceId });
const listed = async (by: By) =>
  (await must<{ products: Product[] }>(by, 'GET', '/merchant/product/list')).products;
const log = async (shop: Shop) => {
  const path = `/merchant/audit?merchantId=${shop.merchantId}`;
  const { body } = await owner.session.call<{ entries: Entry[] }>('GET', path);
  return body.data.entries.map(({ action, objectId, actor }) => [action, objectId, actor.id]);
};
const asManager = (): By => ({ token: manager.token, shop: a });
const asOwner = (shop?: Shop): By => ({ token: owner.token, ...(shop === undefined ? {} : { shop }) });
const keyOf = ({ secretKey: token }: Shop): By => ({ token });

/** Every way to change a product or its prices. */
const changes = (productId: string, priceId: string): [method: string, path: string, body: object][] => [
  ['PATCH', '/merchant/price/edit', { priceId, amount: '1' }],
  ['POST', '/merchant/price/create', { productId, amount: '1', currency: 'USD' }],
  ['PATCH', '/merchant/product/edit', { productId, name: 'Mine' }],
  ['DELETE', '/merchant/price/delete', { priceId }],
  ['DELETE', '/merchant/product/delete', { productId }],
];

async function expectRefused(by: By, productId: string, priceId: string): Promise<void> {
  for (const [method, path, body] of changes(productId, priceId)) {
    const answer = await call(by, method, path, body);
    expect([answer.status, answer.body.error?.code], `${method} ${path}`).toEqual([403, 'FORBIDDEN']);
  }
}

async function expectChanged(by: By, productId: string, priceId: string): Promise<void> {
  for (const [method, path, body] of changes(productId, priceId)) await must(by, method, path, body);
}

describe('a member or an API key of one shop', () => {
  it('cannot change products that only another shop sells', async () => {
    const { id } = await product(asOwner(b));
    const { id: priceId } = await price(asOwner(b), id);
    await expectRefused(asManager(), id, priceId);
    await expectRefused(keyOf(a), id, priceId);
    expect((await listed(asManager())).map(({ mayChange, merchantIds }) => [mayChange, merchantIds])).toEqual(
      [[false, undefined]],
    );
    await expectChanged(keyOf(b), id, priceId);
  });

  it('cannot change products that all shops of the account sell', async () => {
    const { id, merchantIds } = await product(asOwner());
    expect(merchantIds).toBeNull();
    const { id: priceId } = await price(asOwner(), id);
    await expectRefused(asManager(), id, priceId);
    await expectRefused(keyOf(b), id, priceId);
    await expectChanged(asOwner(), id, priceId);
  });

  it('can change products that it created, until another shop sells them too', async () => {
    for (const by of [asManager(), keyOf(a)]) {
      const own = await product(by);
      await expectChanged(by, own.id, (await price(by, own.id)).id);
      const shared = await product(by);
      const { id: priceId } = await price(by, shared.id);
      await sell(b, shared.id, priceId);
      await expectRefused(by, shared.id, priceId);
      const [seen] = await listed(asOwner());
      expect(seen?.merchantIds?.toSorted()).toEqual([a.merchantId, b.merchantId].toSorted());
    }
  });

  it('cannot change its product any more once another shop has a payment link for it', async () => {
    const { id } = await product(asManager());
    const { id: priceId } = await price(asManager(), id);
    await must(keyOf(b), 'POST', '/merchant/link/create', { name: 'Tea', priceId });
    await expectRefused(asManager(), id, priceId);
  });

  it('can still change its own products after a public key, a payer or a clerk of another shop used them', async () => {
    const own = await product(asManager());
    const { id: priceId } = await price(asManager(), own.id);
    const clerk = await newMember(till.api, owner.session, { merchantId: b.merchantId, role: 'clerk' });
    const order = { productId: own.id, priceId, customer: {} };
    await must({ token: b.publicKey }, 'POST', '/payment/create', { ...order, orderId: 'by-page' });
    await must({ token: clerk.token, shop: b }, 'POST', '/payment/create', { ...order, orderId: 'by-clerk' });
    const name = 'Tea';
    const link = await must<{ url: string }>(keyOf(b), 'POST', '/merchant/link/create', { name, priceId });
    await must(asOwner(), 'PATCH', '/merchant/product/edit', {
      productId: own.id,
      merchantIds: [a.merchantId],
    });
    expect((await fetch(link.url, { method: 'POST', redirect: 'manual' })).status).toBe(303);
    expect((await listed(asManager())).map(({ mayChange }) => mayChange)).toEqual([true]);
    await expectChanged(asManager(), own.id, priceId);
  });

  it('cannot choose which shops sell a product', async () => {
    const own = await product(asManager());
    for (const merchantIds of [[a.merchantId], [b.merchantId], null]) {
      for (const [method, path, body] of [
        ['POST', '/merchant/product/create', { name: 'Tea', merchantIds }],
        ['PATCH', '/merchant/product/edit', { productId: own.id, merchantIds }],
      ] as const)
        expect((await call(asManager(), method, path, body)).body.error?.code).toBe('FORBIDDEN');
    }
  });

  it('can change everything when the account has one shop', async () => {
    const alone = await newPerson(till.api, 'owner');
    const shop = await Shop.open(till.api, { owner: alone.token });
    const { id } = await product({ token: alone.token });
    await expectChanged(keyOf(shop), id, (await price({ token: alone.token }, id)).id);
  });
});

describe('the owner of a catalog', () => {
  it('chooses which shops of the account sell a product', async () => {
    const { id } = await product(asManager());
    const { id: priceId } = await price(asManager(), id);
    await must(asOwner(), 'PATCH', '/merchant/product/edit', { productId: id, merchantIds: [b.merchantId] });
    await expectRefused(asManager(), id, priceId);
    await must(asOwner(), 'PATCH', '/merchant/product/edit', { productId: id, merchantIds: [a.merchantId] });
    await must(asManager(), 'PATCH', '/merchant/price/edit', { priceId, amount: '2' });
    const stranger = await Shop.open(till.api);
    const body = { productId: id, merchantIds: [stranger.merchantId] };
    const answer = await call(asOwner(), 'PATCH', '/merchant/product/edit', body);
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'MERCHANT_NOT_FOUND']);
  });

  it('leaves an entry in the audit log of every shop that sells a changed product', async () => {
    for (const by of [asOwner(), asOwner(a)]) {
      const { id } = await product(by, { merchantIds: [a.merchantId, b.merchantId] });
      const { id: priceId } = await price(by, id);
      await must(by, 'PATCH', '/merchant/price/edit', { priceId, amount: '2' });
      await must(by, 'PATCH', '/merchant/product/edit', { productId: id, merchantIds: [a.merchantId] });
      await must(by, 'DELETE', '/merchant/price/delete', { priceId });
      const done = (action: string, objectId: string) => [action, objectId, owner.userId];
      const common = [
        done('PATCH /merchant/product/edit', id),
        done('PATCH /merchant/price/edit', priceId),
        done('POST /merchant/price/create', priceId),
        done('POST /merchant/product/create', id),
      ];
      expect((await log(b)).slice(0, 4)).toEqual(common);
      expect((await log(a)).slice(0, 5)).toEqual([done('DELETE /merchant/price/delete', priceId), ...common]);
    }
  });
});
