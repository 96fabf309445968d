/** Limits of an older copy of the database, after a backup and a restore as an operator makes them. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { AuthenticatorApp } from '../../_helpers/authenticator-app.ts';
import { newPerson, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';
import { paidPayment, PASSWORD, World } from '../api/world.ts';

const DAY_MS = 86_400_000;
const ENV = {
  TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator',
  TILLD_LIMIT_DELAY: '24h',
  TILLD_SANDBOX_BLOCK_INTERVAL: '2m',
};

let dir: string;
let world: World;
let file: string;
let list: string;
let payee: string;

/** A shop with money, its owner and the app of that owner. */
interface Party {
  readonly owner: Person;
  readonly shop: Shop;
  readonly app: AuthenticatorApp | null;
}
let limited: Party;
let unlimited: Party;
let late: Party;

async function open(withApp: boolean): Promise<Party> {
  const { api, clock } = world.till;
  const owner = await newPerson(api, 'owner');
  await world.confirm(owner);
  const shop = await Shop.open(api, { owner: owner.token });
  await paidPayment(shop, { amount: '20000' });
  const app = withApp ? await AuthenticatorApp.setUp(owner.session, clock, PASSWORD) : null;
  return { owner, shop, app };
}

/** A fresh user token of an owner. */
async function signIn({ api, clock }: Till, { owner: { email }, app }: Party): Promise<string> {
  const code = app === null ? {} : { code: app.on(clock).code() };
  const body = { email, password: PASSWORD, ...code };
  return (await api.must<{ token: string }>('POST', '/auth/login', { body })).token;
}

async function setLimits(party: Party, limits: object): Promise<void> {
  const body = { merchantId: party.shop.merchantId, ...limits };
  const token = await signIn(world.till, party);
  await world.till.api.must('PATCH', '/merchant/wallet/limits', { token, body });
}

const listPath = (): string =>
  join(
    world.till.dataDir,
    readdirSync(world.till.dataDir).find((name) => name.startsWith('revocations.')) ?? '',
  );

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-limits-'));
  world = await World.start(undefined, ENV);
  payee = (await Shop.open(world.till.api)).wallets.BTC;
  [limited, unlimited, late] = [await open(true), await open(false), await open(false)];
  await setLimits(limited, { perSend: '1000' });
  file = join(dir, 'one.backup');
  expect(await runTool('backup', [file, '--data-dir', world.till.dataDir], { env: ENV })).toMatchObject({
    code: 0,
  });
  await setLimits(limited, { perSend: '1' });
  await setLimits(late, { perSend: '1' });
  list = join(dir, 'list');
  await eventually(
    'the list of revocations names both changes',
    () => readFileSync(listPath(), 'utf8'),
    (text) => text.includes(` wallet-limits ${late.shop.merchantId} `),
  );
  copyFileSync(listPath(), list);
});
afterAll(async () => {
  await world?.end();
  rmSync(dir, { recursive: true, force: true });
});

async function restore(target: string, ...more: string[]): Promise<Till> {
  const args = [file, '--data-dir', join(dir, target), '--look-ahead', '5', ...more];
  expect(await runTool('restore', args, { env: ENV })).toMatchObject({ code: 0 });
  const till = await Till.start(ENV, {}, join(dir, target));
  await till.ready();
  // Each code counts once, and the clock of the first daemon was advanced.
  till.clock.advance(DAY_MS);
  return till;
}

/** What the secret key of a shop gets for a send that the limits of the backup allow. */
async function send({ api }: Till, { shop }: Party): Promise<{ id: string; got: unknown }> {
  const answer = await api.call<{ id: string; approvalReasons: string[] }>('POST', '/merchant/wallet/send', {
    token: shop.secretKey,
    body: { coin: 'BTC', amount: '0.001', destination: payee },
  });
  const { id, approvalReasons } = answer.body.data;
  return { id, got: [answer.status, approvalReasons] };
}

const HELD = [202, ['limits_unconfirmed']];
const SENT = [200, []];

async function limitsOf({ api }: Till, { shop }: Party) {
  return api.must<{ confirmed: boolean; pending: { part: string }[] }>('GET', '/merchant/wallet/limits', {
    token: shop.secretKey,
  });
}

async function change(till: Till, method: string, path: string, party: Party): Promise<void> {
  const token = await signIn(till, party);
  await till.api.must(method, path, { token, body: { merchantId: party.shop.merchantId } });
}

/** A session of the owner that was proven by the app just now. */
async function proven(till: Till, { owner: { email }, app }: Party): Promise<SessionClient> {
  const on = app?.on(till.clock);
  const session = await SessionClient.signIn(till.api.baseUrl, {
    email,
    password: PASSWORD,
    code: on?.code() ?? '',
  });
  expect((await session.call('POST', '/auth/step-up', { code: on?.code() })).body.error).toBeNull();
  return session;
}

describe('the spending limits of a shop after a restore', () => {
  it('make every send wait until the owner confirms the limits with a second factor', async () => {
    await using till = await restore('confirmed', '--nothing-revoked');
    expect(await limitsOf(till, limited)).toMatchObject({ confirmed: false, pending: [] });
    const held = await send(till, limited);
    expect(held.got).toEqual(HELD);
    const session = await proven(till, limited);
    const body = { merchantId: limited.shop.merchantId, sendId: held.id };
    const early = await session.call('POST', '/merchant/wallet/send/approve', body);
    expect(early.body.error).toMatchObject({
      code: 'FORBIDDEN',
      details: [{ field: 'approver', code: 'limits_unconfirmed' }],
    });
    const { merchantId } = limited.shop;
    const confirmed = await session.call('PATCH', '/merchant/wallet/limits', { merchantId });
    expect(confirmed.body.data).toMatchObject({
      perSend: { amount: '1000' },
      confirmed: true,
      pending: [],
    });
    expect((await send(till, limited)).got).toEqual(SENT);
    expect((await session.call('POST', '/merchant/wallet/send/approve', body)).status).toBe(200);
  });

  it('are confirmed only after the delay by an owner without a second factor, and not when the confirmation is dropped', async () => {
    await using till = await restore('delayed', '--nothing-revoked');
    const pending = [{ part: 'confirmation' }];
    await change(till, 'PATCH', '/merchant/wallet/limits', limited);
    expect(await limitsOf(till, limited)).toMatchObject({ confirmed: false, pending });
    expect((await send(till, limited)).got).toEqual(HELD);
    await change(till, 'DELETE', '/merchant/wallet/limits/pending', limited);
    expect(await limitsOf(till, limited)).toMatchObject({ confirmed: false, pending: [] });
    till.clock.advance(DAY_MS);
    expect((await send(till, limited)).got).toEqual(HELD);
    await change(till, 'PATCH', '/merchant/wallet/limits', limited);
    till.clock.advance(DAY_MS);
    expect(await limitsOf(till, limited)).toMatchObject({ confirmed: true, pending: [] });
    expect((await send(till, limited)).got).toEqual(SENT);
  });

  it('do not affect a shop that never had limits, also after a restart of the daemon', async () => {
    await using till = await restore('restarted', '--nothing-revoked');
    expect((await send(till, unlimited)).got).toEqual(SENT);
    await till.down();
    await till.up();
    await till.ready();
    expect((await send(till, unlimited)).got).toEqual(SENT);
    expect((await send(till, limited)).got).toEqual(HELD);
  });

  it('make sends wait also when they were set after the backup, if the list of revocations names the shop', async () => {
    {
      await using till = await restore('listed', '--revocations', list);
      expect((await send(till, late)).got).toEqual(HELD);
      expect((await send(till, limited)).got).toEqual(HELD);
      expect((await send(till, unlimited)).got).toEqual(SENT);
    }
    // Without the list nothing shows that the shop has limits.
    await using till = await restore('unlisted', '--nothing-revoked');
    expect((await send(till, late)).got).toEqual(SENT);
  });
});
