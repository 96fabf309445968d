import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { MemberRole } from '../../../src/domain/roles.ts';
import { SCOPES } from '../../../src/domain/scopes.ts';
import { newMember, newPerson, signedIn, type Person } from '../../_helpers/people.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { PASSWORD, type Account, type World } from './world.ts';

/** Who asks: a credential, and the account whose things its requests name. */
export interface Column {
  readonly name: string;
  readonly group: string;
  readonly about: Account;
  readonly headers: Readonly<Record<string, string>>;
}

export const GROUPS = [
  'none',
  'public',
  'secret',
  'restricted',
  'token',
  'session',
  'foreign page',
  'suspended',
] as const;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookie = (session: SessionClient) => ({ ...SessionClient.OWN_PAGE, cookie: session.cookie });

/** Every kind of credential, good ones and such as have ended, in the order of `GROUPS`. */
export async function columnsOf(world: World): Promise<Column[]> {
  const shops = await Promise.all([0, 1, 2, 3].map(async () => world.account()));
  const [home, other, suspended, unverified] = shops as [Account, Account, Account, Account];
  for (const { email, shop } of [home, suspended]) await world.confirm({ email, token: shop.token });
  const { api } = world.till;
  const owner = await signedIn(api, home.email);
  const of = (group: string, about: Account) => (name: string, headers: Column['headers']) => ({
    name,
    group,
    about,
    headers,
  });
  return [
    ...['nothing', 'nonsense'].map((name) =>
      of('none', home)(name, name === 'nothing' ? {} : bearer('x.y.z')),
    ),
    ...(await keyColumns(world, home, other)),
    ...(await restrictedColumns(world, home)),
    ...(await peopleColumns(world, { home, unverified, owner })),
    of('foreign page', home)('owner, another site', {
      ...cookie(owner.session),
      'sec-fetch-site': 'cross-site',
      origin: 'https://evil.example',
    }),
    of('foreign page', home)('owner, without the header', {
      'sec-fetch-site': 'same-origin',
      cookie: owner.session.cookie,
    }),
    ...(await suspendedColumns(world, suspended)),
  ];
}

async function keyColumns(world: World, home: Account, other: Account): Promise<Column[]> {
  const ended = await endedKeys(world, home);
  const { publicKey, secretKey } = home.shop;
  const rows = [
    ['public', 'public key', publicKey],
    ['public', 'regenerated public key', ended.public],
    ['secret', 'secret key', secretKey],
    ['secret', 'regenerated secret key', ended.secret],
    ['secret', 'secret key of another account', other.shop.secretKey],
  ] as const;
  return rows.map(([group, name, key]) => ({ name, group, about: home, headers: bearer(key) }));
}

/** Keys of another shop of the same owner that were replaced. */
async function endedKeys(world: World, home: Account): Promise<{ public: string; secret: string }> {
  const { api } = world.till;
  const { token } = home.shop;
  const body = { name: 'Second', domain: `second-${Date.now()}.example` };
  const { merchant } = await api.must<{ merchant: { id: string; auth: { public: string; secret: string } } }>(
    'POST',
    '/merchant/create',
    { token, body },
  );
  await api.must('POST', '/merchant/keys/regenerate', { token, body: { merchantId: merchant.id } });
  return merchant.auth;
}

async function restrictedColumns(world: World, home: Account): Promise<Column[]> {
  const { api, clock } = world.till;
  const { token, merchantId } = home.shop;
  const make = async (scopes: readonly string[], fields: object = {}) => {
    const body = { merchantId, name: 'Key', scopes, ...fields };
    const { key } = await api.must<{ key: { id: string; value: string } }>('POST', '/merchant/keys/create', {
      token,
      body,
    });
    return key;
  };
  const made: [string, string][] = [];
  for (const scope of SCOPES) made.push([scope, (await make([scope])).value]);
  const expired = await make(SCOPES, { expiresAt: new Date(clock.now() + 1_000).toISOString() });
  clock.advance(2_000);
  const deleted = await make(SCOPES);
  await api.must('DELETE', '/merchant/keys/delete', { token, body: { merchantId, keyId: deleted.id } });
  made.push(['expired key', expired.value], ['deleted key', deleted.value]);
  return made.map(([name, key]) => ({ name, group: 'restricted', about: home, headers: bearer(key) }));
}

interface Staff {
  readonly home: Account;
  readonly unverified: Account;
  readonly owner: Person;
}

async function peopleColumns(world: World, { home, unverified, owner }: Staff): Promise<Column[]> {
  const { api } = world.till;
  const member = async (role: MemberRole) =>
    newMember(api, owner.session, { merchantId: home.shop.merchantId, role });
  const [manager, clerk, bookkeeper] = [
    await member('manager'),
    await member('clerk'),
    await member('bookkeeper'),
  ];
  const removed = await member('manager');
  await owner.session.call('DELETE', '/merchant/people/remove', {
    merchantId: home.shop.merchantId,
    userId: removed.userId,
  });
  const former = await signedIn(api, removed.email);
  const stranger = await newPerson(api, 'stranger');
  const fresh = await signedIn(api, unverified.email);
  const idle = await SessionClient.signIn(api.baseUrl, { email: home.email, password: PASSWORD });
  const over = await SessionClient.signIn(api.baseUrl, { email: home.email, password: PASSWORD });
  const overCookie = cookie(over);
  await over.call('DELETE', '/auth/session');
  const tokens: [string, Column['headers'], Account?][] = [
    ['owner', bearer(owner.token)],
    ['manager', bearer(manager.token)],
    ['clerk', bearer(clerk.token)],
    ['bookkeeper', bearer(bookkeeper.token)],
    ['stranger', bearer(stranger.token)],
    ['former manager', bearer(former.token)],
    ['manager, from before the removal', bearer(removed.token)],
    ['unverified owner of another shop', bearer(fresh.token), unverified],
  ];
  const sessions: [string, Column['headers'], Account?][] = [
    ['owner, not stepped up', cookie(idle)],
    ['owner', cookie(owner.session)],
    ['manager', cookie(manager.session)],
    ['clerk', cookie(clerk.session)],
    ['bookkeeper', cookie(bookkeeper.session)],
    ['stranger', cookie(stranger.session)],
    ['unverified owner of another shop', cookie(fresh.session), unverified],
    ['signed out', overCookie],
  ];
  const column =
    (group: string) =>
    ([name, headers, about = home]: [string, Column['headers'], Account?]): Column => ({
      name,
      group,
      about,
      headers,
    });
  return [...tokens.map(column('token')), ...sessions.map(column('session'))];
}

/** A shop after a restore that does not know what was revoked. */
async function suspendedColumns(world: World, shop: Account): Promise<Column[]> {
  const { api } = world.till;
  const { merchantId, token, secretKey } = shop.shop;
  const owner = await signedIn(api, shop.email, token);
  const manager = await newMember(api, owner.session, { merchantId, role: 'manager' });
  const key = async (scope: string) => {
    const body = { merchantId, name: 'Key', scopes: [scope] };
    const made = await api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', { token, body });
    return made.key.value;
  };
  const [sending, reading] = [await key('wallet:send'), await key('payments:read')];
  const db = new Database(join(world.till.dataDir, 'tilld.sqlite'));
  db.prepare('UPDATE merchants SET suspended_at = ? WHERE id = ?').run(world.till.clock.now(), merchantId);
  db.close();
  const rows: [string, Column['headers']][] = [
    ['secret key', bearer(secretKey)],
    ['wallet:send', bearer(sending)],
    ['payments:read', bearer(reading)],
    ['manager, token', bearer(manager.token)],
    ['owner, session', cookie(owner.session)],
    ['owner, token', bearer(token)],
  ];
  return rows.map(([name, headers]) => ({ name, group: 'suspended', about: shop, headers }));
}
