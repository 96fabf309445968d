/** Ways around the limits that a thief with a key, or with a session, would try. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import type { AuthenticatorApp } from '../../_helpers/authenticator-app.ts';
import { newPerson, type Person, signedIn } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { paidPayment, PASSWORD, World } from '../api/world.ts';
import { claimLink } from '../refunds/refund-client.ts';
import { newApprover, prove, withApp } from './approver.ts';

const DAY_MS = 86_400_000;

let world: World;
let payee: string;
let owner: Person;
let shop: Shop;
beforeAll(async () => {
  world = await World.start();
  payee = (await Shop.open(world.till.api)).wallets.BTC;
});
afterAll(async () => world.end());
beforeEach(async () => {
  const { api } = world.till;
  const person = await newPerson(api, 'owner');
  await world.confirm(person);
  shop = await Shop.open(api, { owner: person.token });
  owner = await signedIn(api, person.email);
  await paidPayment(shop, { amount: '20000' });
});

type Fields = Readonly<Record<string, unknown>>;
const limit = async (session: SessionClient, limits: Fields): Promise<void> => {
  const body = { merchantId: shop.merchantId, ...limits };
  expect((await session.call('PATCH', '/merchant/wallet/limits', body)).body.error).toBeNull();
};
const send = async (fields: Fields = {}, token = shop.secretKey) =>
  world.till.api.call<{ id: string; approvalReasons: string[] }>('POST', '/merchant/wallet/send', {
    token,
    body: { coin: 'BTC', amount: '0.001', destination: payee, ...fields },
  });
const decide = async (session: SessionClient, verb: 'approve' | 'reject', sendId: string) =>
  session.call('POST', `/merchant/wallet/send/${verb}`, { merchantId: shop.merchantId, sendId });
const outgoing = async (): Promise<number> => {
  const path = '/merchant/wallet/transactions?direction=out';
  const { pagination } = await world.till.api.must<{ pagination: { total: number } }>('GET', path, {
    token: shop.secretKey,
  });
  return pagination.total;
};
const again = async (email: string, app: AuthenticatorApp): Promise<SessionClient> => {
  const { baseUrl } = world.till.api;
  const session = await SessionClient.signIn(baseUrl, { email, password: PASSWORD, code: app.code() });
  await prove(session, app);
  return session;
};

describe('a fee budget (maxFee) far above the usual fee', () => {
  it('requires an approval when a send is created, and is refused when a send is bumped', async () => {
    await limit(owner.session, { perSend: '200' });
    const held = await send({ maxFee: '0.1' });
    expect([held.status, held.body.data.approvalReasons]).toEqual([202, ['per_send']]);
    const { status, body } = await send();
    expect(status).toBe(200);
    for (const path of ['bump', 'cancel']) {
      const raised = await world.till.api.call('POST', `/merchant/wallet/send/${path}`, {
        token: shop.secretKey,
        body: { sendId: body.data.id, maxFee: '0.1' },
      });
      expect([path, raised.body.error?.code]).toEqual([path, 'FEE_ABOVE_LIMIT']);
    }
  });

  it('counts towards the daily limit when many small sends burn fees', async () => {
    await limit(owner.session, { perDay: '500' });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await send({ amount: '0.00001', maxFee: '0.002' })).status);
    expect(statuses).toEqual([200, 200, 202, 202, 202]);
  });
});

describe('a refund claim', () => {
  it('counts towards the limit with the refunded amount only, not with its fee budget', async () => {
    const payment = await paidPayment(shop, { amount: '100' });
    await limit(owner.session, { perSend: '80' });
    const { url } = await world.till.api.must<{ url: string }>('POST', '/payment/refund-link', {
      token: shop.secretKey,
      body: { paymentId: payment.id, amount: '60', currency: 'USD' },
    });
    const before = await outgoing();
    await claimLink(world.till.api, url, { coin: 'BTC', destination: payee });
    await eventually('the claim to be sent', outgoing, (count) => count === before + 1);
  });
});

describe('the allow list of addresses', () => {
  it('matches an address in each of its spellings, and no other address', async () => {
    const { wallets } = await Shop.open(world.till.api);
    await limit(owner.session, {
      allowList: [
        { coin: 'BTC', destination: payee.toUpperCase() },
        { coin: 'ETH', destination: wallets.ETH },
      ],
    });
    expect((await send()).status).toBe(200);
    expect((await send({ destination: payee.toUpperCase() })).status).toBe(200);
    const lookalike = await send({ destination: wallets.BTC });
    expect(lookalike.body.data.approvalReasons).toEqual(['destination']);
    const eth = { coin: 'ETH', amount: '0.01' };
    for (const destination of [wallets.ETH, wallets.ETH.toLowerCase()])
      expect((await send({ ...eth, destination })).body.error?.code).not.toBe('VALIDATION_INVALID');
  });
});

describe('the approval of a send above a limit', () => {
  it('is refused for an expired send, also before the expiry is recorded', async () => {
    const approver = await newApprover(world, owner.session, shop.merchantId);
    await limit(owner.session, { perSend: '1', approvers: [approver.userId] });
    const { id } = (await send()).body.data;
    const before = await outgoing();
    world.till.clock.advance(DAY_MS);
    const late = await decide(await again(approver.email, approver.app), 'approve', id);
    expect([late.status, late.body.error?.code]).toEqual([409, 'INVALID_STATE']);
    expect(await outgoing()).toBe(before);
  });

  it('is refused for the owner whose API key requested the send while there is another approver', async () => {
    const boss = await withApp(owner, world);
    const approver = await newApprover(world, boss.session, shop.merchantId);
    await prove(boss.session, boss.app);
    await limit(boss.session, { perSend: '1', approvers: [boss.userId, approver.userId] });
    const made = await boss.session.call<{ key: { value: string } }>('POST', '/merchant/keys/create', {
      merchantId: shop.merchantId,
      name: 'Payouts',
      scopes: ['wallet:send'],
    });
    const { id } = (await send({}, made.body.data.key.value)).body.data;
    const own = await decide(boss.session, 'approve', id);
    expect(own.body.error).toMatchObject({ details: [{ field: 'approver', code: 'other_person' }] });
    expect((await decide(approver.session, 'approve', id)).status).toBe(200);
  });

  it('leads to one send or one rejection when 20 approvals and a rejection are concurrent', async () => {
    const approver = await newApprover(world, owner.session, shop.merchantId);
    await limit(owner.session, { perSend: '1', approvers: [approver.userId] });
    const before = await outgoing();
    let sent = 0;
    for (let round = 0; round < 4; round += 1) {
      const { id } = (await send()).body.data;
      await Promise.all([
        ...Array.from({ length: 20 }, async () => decide(approver.session, 'approve', id)),
        decide(owner.session, 'reject', id),
      ]);
      const { status } = await world.till.api.must<{ status: string }>(
        'GET',
        `/merchant/wallet/send-status?sendId=${id}`,
        { token: shop.secretKey },
      );
      if (status !== 'rejected') sent += 1;
    }
    expect(await outgoing()).toBe(before + sent);
  });
});
