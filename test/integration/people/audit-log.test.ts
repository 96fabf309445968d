import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertAudit, listAudit } from '../../../src/store/audit-log.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { pruned } from '../../_helpers/pruned.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { newMember, newPerson, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';

const DAY_MS = 86_400_000;

interface Entry {
  readonly id: number;
  readonly actor: { readonly kind: string; readonly name: string };
  readonly action: string;
  readonly objectId: string | null;
  readonly address: string;
  readonly result: string | null;
}
interface Page {
  readonly entries: readonly Entry[];
  readonly next: number | null;
}

let till: Till;
let owner: Person;
let shop: Shop;
beforeAll(async () => {
  till = await Till.start();
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
});
afterAll(async () => till.end());

async function log(query = ''): Promise<Page> {
  const path = `/merchant/audit?merchantId=${shop.merchantId}${query}`;
  return (await owner.session.call<Page>('GET', path)).body.data;
}
const accountLog = async ({ session }: Person) =>
  (await session.call<Page>('GET', '/auth/audit')).body.data.entries;

it('the audit log records who changed what, from which network, and with which result', async () => {
  const clerk = await newMember(till.api, owner.session, { merchantId: shop.merchantId, role: 'clerk' });
  const link = await till.api.must<{ id: string }>(
    'POST',
    `/merchant/link/create?merchantId=${shop.merchantId}`,
    {
      token: clerk.token,
      body: { name: 'Beans', amount: '5', currency: 'USD' },
    },
  );
  const mode = { merchantId: shop.merchantId, sandboxMode: true };
  await till.api.call('POST', '/merchant/sandbox', { token: clerk.token, body: mode });
  const { entries } = await log();
  expect(entries.slice(0, 2)).toEqual([
    expect.objectContaining({ action: 'POST /merchant/sandbox', result: 'FORBIDDEN', objectId: null }),
    expect.objectContaining({
      actor: { kind: 'user', id: clerk.userId, name: clerk.email },
      action: 'POST /merchant/link/create',
      objectId: link.id,
      address: '127.0.0.1',
      result: 'OK',
    }),
  ]);
});

it('the audit log records actions of API keys that move money or reveal secrets, but not each created payment', async () => {
  await shop.createPayment();
  const { merchantId } = shop;
  const body = { merchantId, name: 'Payouts', scopes: ['wallet:send', 'payments:write'] };
  const { key } = await till.api.must<{ key: { id: string; value: string } }>(
    'POST',
    '/merchant/keys/create',
    {
      token: owner.token,
      body,
    },
  );
  const send = { coin: 'BTC', amount: '1', destination: shop.wallets.BTC };
  await till.api.call('POST', '/merchant/wallet/send', { token: key.value, body: send });
  const { entries } = await log('&limit=3');
  expect(entries.map(({ actor, action }) => [actor.name, action])).toEqual([
    ['Payouts', 'POST /merchant/wallet/send'],
    [owner.email, 'POST /merchant/keys/create'],
    expect.anything(),
  ]);
  expect(entries[1]?.objectId).toBe(key.id);
  expect((await log()).entries.map(({ action }) => action)).not.toContain('POST /payment/create');
  const text = JSON.stringify(await log());
  for (const secret of [key.value, shop.secretKey, owner.token]) expect(text).not.toContain(secret);
});

it('the audit log is paginated, and filtered by person and action', async () => {
  const all = (await log('&limit=100')).entries;
  const paged: Entry[] = [];
  let before = '';
  for (let pages = 0; pages < 100; pages += 1) {
    const page: Page = await log(`&limit=2${before}`);
    paged.push(...page.entries);
    if (page.next === null) break;
    before = `&before=${page.next}`;
  }
  expect(paged).toEqual(all);
  const keys = await log('&action=POST%20/merchant/keys/create');
  expect(keys.entries.map(({ action }) => action)).toEqual(['POST /merchant/keys/create']);
  const mine = await log(`&actorId=${owner.userId}`);
  expect(new Set(mine.entries.map(({ actor }) => actor.name))).toEqual(new Set([owner.email]));
});

it('the audit log shows users the sign-ins of their own account only, including failed ones', async () => {
  const person = await newPerson(till.api);
  const other = await newPerson(till.api);
  const wrong = { email: person.email, password: 'not the password' };
  await expect(SessionClient.signIn(till.api.baseUrl, wrong)).rejects.toThrow('401');
  const entries = await eventually(
    'the failed sign-in',
    () => accountLog(person),
    (found) => found.some(({ result }) => result === 'INVALID_CREDENTIALS'),
  );
  expect(entries.map(({ action, result }) => [action, result]).slice(0, 3)).toEqual([
    ['POST /auth/session', 'INVALID_CREDENTIALS'],
    ['POST /auth/step-up', 'OK'],
    ['POST /auth/session', 'OK'],
  ]);
  expect((await accountLog(other)).map(({ result }) => result)).not.toContain('INVALID_CREDENTIALS');
});

it('the audit log of a shop does not contain requests of strangers that name its id', async () => {
  const stranger = await newPerson(till.api, 'stranger');
  const before = (await log()).entries[0]?.id;
  const body = { merchantId: shop.merchantId, name: 'Mine' };
  const { status } = await till.api.call('PATCH', '/merchant/edit', { token: stranger.token, body });
  expect(status).toBe(404);
  expect((await log()).entries[0]?.id).toBe(before);
  expect((await accountLog(stranger))[0]).toMatchObject({
    action: 'PATCH /merchant/edit',
    result: 'MERCHANT_NOT_FOUND',
  });
});

const entry = (at: number) => ({
  at,
  merchantId: 'shop',
  actorKind: 'user' as const,
  actorId: 'user',
  actorName: 'user@example.com',
  action: 'POST /merchant/wallet/send',
  objectId: null,
  clientSealed: '',
  result: null,
});

it('the audit log is pruned after its retention, in bounded steps', async () => {
  const database = await openDatabase(':memory:');
  const { db } = database;
  const now = 1_000 * DAY_MS;
  for (let count = 0; count < 501; count += 1) await insertAudit(db, entry(now - 91 * DAY_MS));
  await insertAudit(db, entry(now - 89 * DAY_MS));
  expect(await pruned(db, now)).toEqual({ audit_log: 501 });
  expect(await listAudit(db, { of: { merchantId: 'shop' }, limit: 10 })).toHaveLength(1);
  await database.close();
});

it('the audit log records no text that a client sent in place of an id', async () => {
  const { merchantId } = shop;
  for (const paymentId of [shop.secretKey, 'https://user:pass@node.example', `whsec_${'a'.repeat(24)}`]) {
    await till.api.call('POST', '/payment/cancel', { token: owner.token, body: { merchantId, paymentId } });
    expect((await log('&limit=1')).entries[0]).toMatchObject({
      action: 'POST /payment/cancel',
      objectId: null,
    });
  }
});
