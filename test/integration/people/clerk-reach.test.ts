import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';

const ELSEWHERE = 'https://elsewhere.example/thanks';

let till: Till;
let owner: Person;
let shop: Shop;
let clerk: Person;
let manager: Person;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
  const { merchantId } = shop;
  clerk = await newMember(till.api, owner.session, { merchantId, role: 'clerk' });
  manager = await newMember(till.api, owner.session, { merchantId, role: 'manager' });
});
afterAll(async () => till.end());

type By = Person | { readonly token: string };
let orders = 0;

const ask = async (by: By, method: string, path: string, body: object) => {
  const answer = await till.api.call(method, path, {
    token: by.token,
    body: { ...body, merchantId: shop.merchantId },
  });
  return {
    status: answer.status,
    code: answer.body.error?.code ?? null,
    data: answer.body.data,
    error: answer.body.error,
  };
};
const order = async (by: By, fields: object = {}) => {
  orders += 1;
  const body = { customerId: shop.customerId, orderId: `reach-${orders}`, amount: '50', currency: 'USD' };
  return ask(by, 'POST', '/payment/create', { ...body, ...fields });
};
const made = async (by: By, fields: object = {}) => String((await order(by, fields)).data['id']);
const update = async (by: By, paymentId: string, fields: object) =>
  ask(by, 'PATCH', '/payment/update', { paymentId, ...fields });
const link = async (by: By, fields: object = {}) =>
  ask(by, 'POST', '/merchant/link/create', { name: 'A mug', amount: '50', currency: 'USD', ...fields });
const linked = async (by: By, fields: object = {}) => String((await link(by, fields)).data['id']);
const editLink = async (by: By, paymentLinkId: string, fields: object) =>
  ask(by, 'PATCH', '/merchant/link/edit', { paymentLinkId, ...fields });
const secretKey = () => ({ token: shop.secretKey });
const publicKey = () => ({ token: shop.publicKey });
const outcome = ({ status, code }: { status: number; code: string | null }) => [status, code];
const refused = [403, 'FORBIDDEN'];

describe('a member with the role clerk', () => {
  it.each(['amount', 'description', 'metadata', 'successUrl'])(
    'cannot change the %s of a payment that the shop, its owner or a payer created',
    async (field) => {
      const fields = { amount: '1', description: 'x', metadata: { a: 1 }, successUrl: ELSEWHERE };
      const change = { [field]: Reflect.get(fields, field) as unknown };
      for (const by of [secretKey(), owner, publicKey()]) {
        const paymentId = await made(by);
        expect(outcome(await update(clerk, paymentId, change))).toEqual(refused);
        expect(await shop.payment(paymentId)).toMatchObject({ amount: '50', successUrl: null });
      }
    },
  );

  it('can change price and texts of a payment that a member created', async () => {
    for (const by of [clerk, manager]) {
      const paymentId = await made(by);
      const { status, data } = await update(clerk, paymentId, { amount: '40', description: 'Less' });
      expect([status, data['amount'], data['description']]).toEqual([200, '40', 'Less']);
    }
  });

  it('cannot change a price that the owner or a key of the shop has set since', async () => {
    for (const by of [owner, secretKey()]) {
      const paymentId = await made(clerk);
      expect((await update(by, paymentId, { amount: '60' })).status).toBe(200);
      expect(outcome(await update(clerk, paymentId, { amount: '1' }))).toEqual(refused);
      expect(outcome(await update(clerk, paymentId, { currency: 'EUR', amount: '60' }))).toEqual(refused);
      expect((await update(clerk, paymentId, { amount: '60', description: 'The same' })).status).toBe(200);
    }
  });

  it('cannot change a catalog price', async () => {
    const { data: product } = await ask(owner, 'POST', '/merchant/product/create', { name: 'Tea' });
    const body = { productId: product['id'], amount: '50', currency: 'USD' };
    const { data: price } = await ask(owner, 'POST', '/merchant/price/create', body);
    const sold = { productId: product['id'], priceId: price['id'], amount: undefined, currency: undefined };
    expect(outcome(await update(clerk, await made(clerk, sold), { amount: '1' }))).toEqual(refused);
    const terms = { priceId: price['id'], amount: undefined, currency: undefined };
    const cheap = { amount: '1', currency: 'USD' };
    expect(outcome(await editLink(clerk, await linked(clerk, terms), cheap))).toEqual(refused);
  });

  it.each(['successUrl', 'returnUrl'])('can never set the %s of a payment', async (field) => {
    const paymentId = await made(clerk);
    const answer = await update(clerk, paymentId, { [field]: ELSEWHERE });
    expect(outcome(answer)).toEqual(refused);
    expect(answer.error?.details).toMatchObject([{ field }]);
    expect(outcome(await order(clerk, { [field]: ELSEWHERE }))).toEqual(refused);
  });

  it('can never set a webhookUrl', async () => {
    expect(outcome(await order(clerk, { webhookUrl: ELSEWHERE }))).toEqual(refused);
  });

  it('cannot create a payment for an existing order of the shop', async () => {
    const paymentId = await made(secretKey(), { orderId: 'of the shop' });
    await ask(clerk, 'POST', '/payment/cancel', { paymentId });
    expect(outcome(await order(clerk, { orderId: 'of the shop', amount: '1' }))).toEqual(refused);
    const own = await made(clerk, { orderId: 'of the counter' });
    await ask(clerk, 'POST', '/payment/cancel', { paymentId: own });
    expect((await order(clerk, { orderId: 'of the counter', amount: '1' })).status).toBe(201);
  });

  it('can change and delete payment links that members created, and no others', async () => {
    for (const by of [owner, secretKey()]) {
      const paymentLinkId = await linked(by);
      const changes = [{ amount: '1', currency: 'USD' }, { name: 'x' }, { active: false }];
      for (const change of changes)
        expect(outcome(await editLink(clerk, paymentLinkId, change))).toEqual(refused);
      expect(outcome(await ask(clerk, 'DELETE', '/merchant/link/delete', { paymentLinkId }))).toEqual(
        refused,
      );
    }
    for (const by of [clerk, manager]) {
      const paymentLinkId = await linked(by);
      expect((await editLink(clerk, paymentLinkId, { amount: '1', currency: 'USD' })).status).toBe(200);
      expect((await editLink(owner, paymentLinkId, { amount: '2', currency: 'USD' })).status).toBe(200);
      expect(outcome(await editLink(clerk, paymentLinkId, { amount: '1', currency: 'USD' }))).toEqual(
        refused,
      );
      expect((await ask(clerk, 'DELETE', '/merchant/link/delete', { paymentLinkId })).status).toBe(200);
    }
  });

  it('can never set the successUrl of a payment link', async () => {
    expect(outcome(await link(clerk, { successUrl: ELSEWHERE }))).toEqual(refused);
    expect(outcome(await editLink(clerk, await linked(clerk), { successUrl: ELSEWHERE }))).toEqual(refused);
    const paymentLinkId = await linked(clerk);
    expect((await editLink(manager, paymentLinkId, { successUrl: ELSEWHERE })).status).toBe(200);
    expect(outcome(await editLink(clerk, paymentLinkId, { successUrl: '' }))).toEqual(refused);
    expect((await editLink(clerk, paymentLinkId, { successUrl: ELSEWHERE, name: 'B' })).status).toBe(200);
  });
});

it('a manager can change payments of the shop and its return URLs', async () => {
  const paymentId = await made(secretKey());
  expect((await update(manager, paymentId, { amount: '1', successUrl: ELSEWHERE })).status).toBe(200);
  expect((await editLink(manager, await linked(owner), { successUrl: ELSEWHERE })).status).toBe(200);
});
