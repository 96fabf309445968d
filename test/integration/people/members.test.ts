import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, signedIn, type Person } from '../../_helpers/people.ts';
import { Till } from '../../_helpers/till.ts';
import { paidPayment } from '../api/world.ts';

let till: Till;
let owner: Person;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
});
afterAll(async () => till.end());

const member = async (role: 'manager' | 'clerk' | 'bookkeeper') =>
  newMember(till.api, owner.session, { merchantId: shop.merchantId, role });
const remove = async (by: Person, userId: string) =>
  by.session.call('DELETE', '/merchant/people/remove', { merchantId: shop.merchantId, userId });
const about = (path: string) => `${path}${path.includes('?') ? '&' : '?'}merchantId=${shop.merchantId}`;
const ask = async ({ token }: Person, method: string, path: string, body?: object) =>
  till.api.call(method, about(path), { token, ...(body === undefined ? {} : { body }) });

const again = async (token: string) =>
  till.api.call('POST', about('/merchant/customer/create'), {
    token,
    body: { email: 'twice@example.com' },
    headers: { 'idempotency-key': 'the-same' },
  });

/** Makes a link under an Idempotency-Key. */
const makeLink = async ({ token }: Person) => {
  const body = { merchantId: shop.merchantId, name: 'A mug', amount: '5', currency: 'EUR' };
  const headers = { 'idempotency-key': 'a link for each' };
  const answer = await till.api.call('POST', about('/merchant/link/create'), { token, body, headers });
  return { id: answer.body.data['id'], replayed: answer.headers.get('idempotent-replayed') };
};

describe('a member of a shop', () => {
  it("accesses the shop only in requests that name it, and otherwise the member's own account", async () => {
    const clerk = await member('clerk');
    const theirs = await ask(clerk, 'GET', '/merchant/customer/list');
    expect(theirs.body.data).toMatchObject({ customers: [{ id: shop.customerId }] });
    const own = await till.api.call('GET', '/merchant/customer/list', { token: clerk.token });
    expect(own.body.data).toMatchObject({ customers: [] });
  });

  it('creates payments of the shop', async () => {
    const clerk = await member('clerk');
    const made = await ask(clerk, 'POST', '/payment/create', {
      customerId: shop.customerId,
      orderId: 'counter-1',
      amount: '5',
      currency: 'USD',
    });
    expect(made.status).toBe(201);
    expect(await shop.payment(String(made.body.data['id']))).toMatchObject({ orderId: 'counter-1' });
  });

  it('can request a refund as a manager, which needs the approval of the owner', async () => {
    const manager = await member('manager');
    const { id } = await paidPayment(shop);
    const body = { paymentId: id, preset: 'all' };
    const link = await ask(manager, 'POST', '/payment/refund-link', body);
    expect(link.body.data).toMatchObject({ approval: true });
    const direct = { paymentId: id, coin: 'BTC', destination: shop.wallets.BTC, amount: '0.001' };
    expect((await ask(manager, 'POST', '/payment/refund', direct)).body.error?.code).toBe('FORBIDDEN');
  });

  it('sees refund links without the claim token, except links by managers that need the approval of the owner', async () => {
    const { id } = await paidPayment(shop);
    const open = async (by: Person, approval: boolean) =>
      ask(by, 'POST', '/payment/refund-link', { paymentId: id, preset: 'all', approval });
    await open(owner, false);
    await open(owner, true);
    const shown = async (by: Person) => {
      const { body } = await ask(by, 'GET', `/payment/refund-links?paymentId=${id}`);
      const links = body.data['refundLinks'] as { approval: boolean; url: string | null }[];
      return Object.fromEntries(links.map(({ approval, url }) => [approval, url !== null]));
    };
    expect(await shown(owner)).toEqual({ true: true, false: true });
    expect(await shown(await member('manager'))).toEqual({ true: true, false: false });
    expect(await shown(await member('clerk'))).toEqual({ true: false, false: false });
    expect(await shown(await member('bookkeeper'))).toEqual({ true: false, false: false });
  });

  it('never gets the response to a request of the owner by using the same Idempotency-Key', async () => {
    const manager = await member('manager');
    expect((await again(owner.token)).status).toBe(201);
    const second = await again(manager.token);
    expect([second.headers.get('idempotent-replayed'), second.body.error?.code]).toEqual([
      null,
      'DUPLICATE_ENTRY',
    ]);
  });

  it('has Idempotency-Keys for the shop that are separate from those for the own account', async () => {
    const [manager, clerk] = [await member('manager'), await member('clerk')];
    const first = [await makeLink(owner), await makeLink(manager), await makeLink(clerk)];
    expect(new Set(first.map(({ id }) => id)).size).toBe(3);
    expect(first.map(({ replayed }) => replayed)).toEqual([null, null, null]);
    const second = [await makeLink(owner), await makeLink(manager), await makeLink(clerk)];
    expect(second).toEqual(first.map(({ id }) => ({ id, replayed: 'true' })));
  });

  it('never gets a response from an earlier role with more permissions by using the same Idempotency-Key', async () => {
    const person = await member('manager');
    const webhookUrl = 'https://shop.example/hook?secret=1';
    const order = { customer: {}, amount: '5', currency: 'USD', orderId: 'hooked', webhookUrl };
    const made = await ask(person, 'POST', '/payment/create', order);
    const cancel = async ({ token }: Person) =>
      till.api.call('POST', '/payment/cancel', {
        token,
        body: { paymentId: made.body.data['id'] },
        headers: { 'idempotency-key': 'a cancellation' },
      });
    expect((await cancel(person)).body.data['webhookUrl']).toBe(webhookUrl);
    const edit = { merchantId: shop.merchantId, userId: person.userId, role: 'clerk' };
    await owner.session.call('PATCH', '/merchant/people/edit', edit);
    const answer = await cancel(await signedIn(till.api, person.email));
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(JSON.stringify(answer.body)).not.toContain('secret=1');
  });

  it('gets the permissions of a new role immediately', async () => {
    const person = await member('manager');
    expect((await ask(person, 'GET', '/merchant/wallet/balances')).status).toBe(200);
    const change = { merchantId: shop.merchantId, userId: person.userId, role: 'clerk' };
    expect((await owner.session.call('PATCH', '/merchant/people/edit', change)).status).toBe(200);
    const again = await signedIn(till.api, person.email);
    expect((await ask(again, 'GET', '/merchant/wallet/balances')).body.error?.code).toBe('FORBIDDEN');
  });

  it('gets no event when the shop removes the member during a long poll', async () => {
    const person = await member('manager');
    const { body } = await ask(person, 'GET', '/merchant/events?after=0');
    const waiting = ask(person, 'GET', `/merchant/events?wait=20&after=${String(body.data['nextAfter'])}`);
    await ask(person, 'GET', '/merchant/events?after=0');
    expect((await remove(owner, person.userId)).status).toBe(200);
    await shop.createPayment();
    expect((await waiting).body.error?.code).toBe('UNAUTHORISED');
  });

  it('can leave the shop, but cannot remove other members', async () => {
    const [one, two] = [await member('manager'), await member('clerk')];
    expect((await remove(one, two.userId)).body.error?.code).toBe('FORBIDDEN');
    expect((await remove(one, owner.userId)).body.error?.code).toBe('FORBIDDEN');
    expect((await remove(one, one.userId)).status).toBe(200);
    // A session is given a fresh token by it, which has proved nothing.
    expect((await remove(one, one.userId)).body.error?.code).toBe('STEP_UP_REQUIRED');
    const again = await signedIn(till.api, one.email);
    expect((await remove(again, one.userId)).body.error?.code).toBe('MERCHANT_NOT_FOUND');
    expect((await ask(again, 'GET', '/payment/list')).body.error?.code).toBe('MERCHANT_NOT_FOUND');
  });
});

it('the owner can neither leave a shop nor be removed from it', async () => {
  expect((await remove(owner, owner.userId)).body.error?.code).toBe('PERSON_NOT_FOUND');
  const change = { merchantId: shop.merchantId, userId: owner.userId, role: 'clerk' };
  const { body } = await owner.session.call('PATCH', '/merchant/people/edit', change);
  expect(body.error?.code).toBe('PERSON_NOT_FOUND');
});
