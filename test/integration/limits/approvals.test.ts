/** Sends above a limit, from the order to the decision, as clients see them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { paidPayment, PASSWORD, World } from '../api/world.ts';
import { newApprover, prove } from './approver.ts';

let world: World;
let payee: string;
beforeAll(async () => {
  world = await World.start();
  payee = (await Shop.open(world.till.api)).wallets.BTC;
});
afterAll(async () => world.end());

let owner: Person;
let shop: Shop;
beforeEach(async () => {
  const { api } = world.till;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  owner = await signedIn(api, person.email);
  await paidPayment(shop, { amount: '20000' });
});

interface Json {
  readonly [field: string]: unknown;
}
const limit = async (limits: Json) => {
  const body = { merchantId: shop.merchantId, ...limits };
  const answer = await owner.session.call('PATCH', '/merchant/wallet/limits', body);
  expect(answer.body.error).toBeNull();
};
const send = async (amount = '0.001', headers = {}) =>
  shop.send({ coin: 'BTC', amount, destination: payee }, headers);
const status = async (sendId: string): Promise<Json> =>
  world.till.api.must('GET', `/merchant/wallet/send-status?sendId=${sendId}`, { token: shop.secretKey });
const decide = async (session: SessionClient, verb: 'approve' | 'reject', sendId: string) =>
  session.call<Json>('POST', `/merchant/wallet/send/${verb}`, { merchantId: shop.merchantId, sendId });
const member = async () => newApprover(world, owner.session, shop.merchantId);
const signedCount = async (): Promise<number> => {
  const path = '/merchant/wallet/transactions';
  const { pagination } = await world.till.api.must<{ pagination: { total: number } }>('GET', path, {
    token: shop.secretKey,
  });
  return pagination.total;
};

describe('a send above the spending limit', () => {
  it('answers 202 and is not signed until a person other than its requester approves it, then it is sent once', async () => {
    const approver = await member();
    await limit({ perSend: '1', approvers: [approver.userId] });
    const before = await signedCount();
    const held = await send('0.001', { 'idempotency-key': 'payout' });
    expect(held.status).toBe(202);
    expect(held.body.data).toMatchObject({
      status: 'pending_approval',
      txHash: null,
      approvalReasons: ['per_send'],
    });
    const { id } = held.body.data;
    expect(await signedCount()).toBe(before);
    expect(await status(id)).toMatchObject({ id, status: 'pending_approval' });
    const refused = await decide(owner.session, 'approve', id);
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'FORBIDDEN']);
    expect(await signedCount()).toBe(before);
    const answers = await Promise.all([1, 2, 3].map(async () => decide(approver.session, 'approve', id)));
    expect(answers.some((answer) => answer.status === 200)).toBe(true);
    expect(await status(id)).toMatchObject({ id, amount: '0.001', status: 'broadcast' });
    expect(await signedCount()).toBe(before + 1);
  });

  it('cannot be approved with an API key', async () => {
    await limit({ perSend: '1' });
    const { id: sendId } = (await send()).body.data;
    const body = { merchantId: shop.merchantId, sendId };
    const { status: code } = await world.till.api.call('POST', '/merchant/wallet/send/approve', {
      token: shop.secretKey,
      body,
    });
    expect(code).toBe(401);
  });

  it('cannot be approved by an owner without a second factor, nor with a user token', async () => {
    await limit({ perSend: '1' });
    const { id: sendId } = (await send()).body.data;
    const refused = await decide(owner.session, 'approve', sendId);
    expect(refused.body.error).toMatchObject({
      code: 'FORBIDDEN',
      details: [{ field: 'approver', code: 'second_factor' }],
    });
    const token = await world.till.api.call('POST', '/merchant/wallet/send/approve', {
      token: owner.token,
      body: { merchantId: shop.merchantId, sendId },
    });
    expect(token.status).toBe(403);
  });

  it('is not approved by an approver with the password or a user token alone', async () => {
    const approver = await member();
    await limit({ perSend: '1', approvers: [approver.userId] });
    const { id: sendId } = (await send()).body.data;
    const removed = await approver.session.call('POST', '/auth/totp/disable', {
      password: PASSWORD,
      code: approver.app.code(),
    });
    expect(removed.body.error).toBeNull();
    await approver.session.call('POST', '/auth/step-up', { password: PASSWORD });
    const missing = { code: 'FORBIDDEN', details: [{ field: 'approver', code: 'second_factor' }] };
    expect((await decide(approver.session, 'approve', sendId)).body.error).toMatchObject(missing);
    const other = await member();
    await limit({ approvers: [other.userId] });
    const login = { email: other.email, password: PASSWORD, code: other.app.code() };
    const { token } = await world.till.api.must<{ token: string }>('POST', '/auth/login', { body: login });
    const refused = await world.till.api.call('POST', '/merchant/wallet/send/approve', {
      token,
      body: { merchantId: shop.merchantId, sendId },
    });
    expect(refused.body.error).toMatchObject(missing);
    await prove(other.session, other.app);
    expect((await decide(other.session, 'approve', sendId)).status).toBe(200);
  });

  it('has no approvers without an authenticator app, but removing one needs none', async () => {
    const [first, second] = [await member(), await member()];
    await limit({ approvers: [first.userId, second.userId] });
    const plain = await newMember(world.till.api, owner.session, {
      merchantId: shop.merchantId,
      role: 'manager',
    });
    const body = { merchantId: shop.merchantId, approvers: [first.userId, plain.userId] };
    const refused = await owner.session.call('PATCH', '/merchant/wallet/limits', body);
    expect(refused.body.error).toMatchObject({
      code: 'VALIDATION_INVALID',
      details: [{ field: 'approvers' }],
    });
    await first.session.call('POST', '/auth/totp/disable', { password: PASSWORD, code: first.app.code() });
    await limit({ approvers: [first.userId] });
  });

  it('cannot be approved after it was rejected, and its Idempotency-Key returns the rejected send', async () => {
    await limit({ perSend: '1' });
    const key = { 'idempotency-key': 'rejected payout' };
    const { id: sendId } = (await send('0.001', key)).body.data;
    const rejected = await decide(owner.session, 'reject', sendId);
    expect(rejected.body.data).toMatchObject({ id: sendId, status: 'rejected' });
    const approver = await member();
    await limit({ approvers: [approver.userId] });
    const late = await decide(approver.session, 'approve', sendId);
    expect([late.status, late.body.error?.code]).toEqual([409, 'INVALID_STATE']);
    expect((await send('0.001', key)).body.data.id).toBe(sendId);
    expect(await status(sendId)).toMatchObject({ status: 'rejected' });
  });

  it('with amount max sends the amount that was shown at the request, not what arrived since', async () => {
    const approver = await member();
    await limit({ perSend: '1', approvers: [approver.userId] });
    const held = (await send('max')).body.data;
    await paidPayment(shop, { amount: '5000' });
    await decide(approver.session, 'approve', held.id);
    expect(await status(held.id)).toMatchObject({ amount: held.amount, status: 'broadcast' });
  });
});

describe('a refund above the spending limit', () => {
  it('answers 202 with a pending refund, which the payment lists once it is approved', async () => {
    const approver = await member();
    const payment = await paidPayment(shop, { amount: '50' });
    await limit({ perSend: '1', approvers: [approver.userId] });
    const body = { paymentId: payment.id, destination: payee };
    const held = await world.till.api.call<{ refund: Json; refunds: Json[] }>('POST', '/payment/refund', {
      token: shop.secretKey,
      body,
    });
    expect([held.status, held.body.data.refund['status'], held.body.data.refunds]).toEqual([
      202,
      'pending_approval',
      [],
    ]);
    const id = String(held.body.data.refund['sendId']);
    const approved = await decide(approver.session, 'approve', id);
    expect(approved.body.error).toBeNull();
    expect(await shop.payment(payment.id)).toMatchObject({ refunds: [{ sendId: id }] });
  });
});

describe('GET /merchant/wallet/send/approvals', () => {
  it('lists who requested a send, why it needs approval, and whether the caller may approve it', async () => {
    const approver = await member();
    await limit({ perDay: '1', approvers: [approver.userId] });
    const { id } = (await send()).body.data;
    const path = `/merchant/wallet/send/approvals?merchantId=${shop.merchantId}`;
    const shown = async (session: SessionClient) =>
      (await session.call<{ approvals: Json[] }>('GET', path)).body.data.approvals;
    const waiting = { kind: 'send', requestedBy: 'Secret key', send: { id, approvalReasons: ['per_day'] } };
    expect(await shown(owner.session)).toMatchObject([{ ...waiting, canApprove: false }]);
    expect(await shown(approver.session)).toMatchObject([{ ...waiting, canApprove: true }]);
    await decide(approver.session, 'reject', id);
    expect(await shown(owner.session)).toEqual([]);
  });
});

describe('a send with an API key that has its own limits', () => {
  it('needs an approval above the limit of the key, whatever limit the shop has', async () => {
    const body = {
      merchantId: shop.merchantId,
      name: 'Payouts',
      scopes: ['wallet:send'],
      limits: { perSend: '1' },
    };
    const made = await owner.session.call<{ key: Json }>('POST', '/merchant/keys/create', body);
    expect(made.body.data.key['limits']).toEqual({
      perSend: { amount: '1', currency: 'USD' },
      perDay: null,
    });
    const order = { coin: 'BTC', amount: '0.001', destination: payee };
    const held = await world.till.api.call<Json>('POST', '/merchant/wallet/send', {
      token: String(made.body.data.key['value']),
      body: order,
    });
    expect([held.status, held.body.data['approvalReasons']]).toEqual([202, ['key_per_send']]);
    expect((await send()).status).toBe(200);
  });
});
