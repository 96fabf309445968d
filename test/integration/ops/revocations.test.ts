import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type ApiClient } from '../../_helpers/api-client.ts';
import { newMember, newPerson, signedIn, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'an entirely new one';
const ENV = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };

let dir: string;
let till: Till;
let file: string;
let owner: Person;
let member: Person;
let other: Person;
let session: SessionClient;
/** Its keys are regenerated after the backup; those of the other one are not. */
let shop: Shop;
let untouched: Shop;
let sending: string;
let kept: string;
/** The endpoint of a shop that is deleted after the backup, and one whose secret is rotated, with its old secret. */
let deletedEndpoint: string;
let rotated: Endpoint;
let oldSecret: string;
let removing: Shop;

interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

const isIn = async (client: SessionClient) => (await client.call('GET', '/auth/session')).status;
const balances = async (api: ApiClient, token: string, more = '') =>
  (await api.call('GET', `/merchant/wallet/balances${more}`, { token })).status;
const listPath = (): string =>
  join(till.dataDir, readdirSync(till.dataDir).find((name) => name.startsWith('revocations.')) ?? '');
const listed = (): string => readFileSync(listPath(), 'utf8');

const ownSecret = async (api: ApiClient, { secretKey: token }: Shop): Promise<string> =>
  (await api.must<{ secret: string }>('GET', '/merchant/webhook/secret', { token })).secret;

async function endpointsOf(
  api: ApiClient,
  { secretKey: token }: Shop,
): Promise<{ id: string; url: string }[]> {
  const path = '/merchant/webhook/endpoint/list';
  return (await api.must<{ endpoints: { id: string; url: string }[] }>('GET', path, { token })).endpoints;
}

async function restrictedKey(of: Shop, scopes: readonly string[]): Promise<{ id: string; value: string }> {
  const { key } = await of.api.must<{ key: { id: string; value: string } }>('POST', '/merchant/keys/create', {
    token: of.token,
    body: { merchantId: of.merchantId, name: 'Plugin', scopes },
  });
  return key;
}

async function restore(target: string, ...more: string[]) {
  return runTool('restore', [file, '--data-dir', join(dir, target), '--look-ahead', '5', ...more], {
    env: ENV,
  });
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-revoked-'));
  till = await Till.start(ENV);
  const { api } = till;
  owner = await newPerson(api, 'owner');
  shop = await Shop.open(api, { owner: owner.token });
  untouched = await Shop.open(api, { owner: owner.token });
  member = await newMember(api, owner.session, { merchantId: untouched.merchantId, role: 'manager' });
  other = await newPerson(api, 'other');
  session = await SessionClient.signIn(api.baseUrl, { email: owner.email, password: PASSWORD });
  const deleted = await restrictedKey(untouched, ['wallet:read', 'wallet:send']);
  sending = deleted.value;
  kept = (await restrictedKey(untouched, ['wallet:read'])).value;
  const endpoint = async (path: string) =>
    api.must<Endpoint>('POST', '/merchant/webhook/endpoint/create', {
      token: untouched.secretKey,
      body: { url: `http://127.0.0.1:9/${path}` },
    });
  deletedEndpoint = (await endpoint('deleted')).id;
  rotated = await endpoint('rotated');
  const { token: remover } = await newPerson(api, 'remover');
  removing = await Shop.open(api, { owner: remover, webhookUrl: 'http://127.0.0.1:9/removed' });
  oldSecret = await ownSecret(api, untouched);
  file = join(dir, 'one.backup');
  expect(await runTool('backup', [file, '--data-dir', till.dataDir], { env: ENV })).toMatchObject({
    code: 0,
  });

  // What is revoked after the backup.
  await owner.session.call('DELETE', '/merchant/keys/delete', {
    merchantId: untouched.merchantId,
    keyId: deleted.id,
  });
  await owner.session.call('POST', '/merchant/keys/regenerate', { merchantId: shop.merchantId });
  await owner.session.call('DELETE', '/merchant/people/remove', {
    merchantId: untouched.merchantId,
    userId: member.userId,
  });
  await session.call('DELETE', '/auth/session');
  const token = untouched.secretKey;
  await api.must('DELETE', '/merchant/webhook/endpoint/delete', {
    token,
    body: { endpointId: deletedEndpoint },
  });
  await api.must('POST', '/merchant/webhook/endpoint/rotate-secret', {
    token,
    body: { endpointId: rotated.id },
  });
  await api.must('POST', '/merchant/webhook/rotate-secret', { token });
  await api.must('PATCH', '/merchant/edit', {
    token: removing.secretKey,
    body: { merchantId: removing.merchantId, webhookUrl: null },
  });
  await other.session.call('POST', '/auth/change-password', {
    currentPassword: PASSWORD,
    newPassword: NEW_PASSWORD,
  });
  await eventually(
    'the list names the last of it',
    () => listed(),
    (text) => text.includes(` password ${other.userId} `),
  );
});
afterAll(async () => {
  await till?.end();
  rmSync(dir, { recursive: true, force: true });
});

async function expectRevoked(api: ApiClient): Promise<void> {
  expect(await balances(api, sending)).toBe(401);
  expect(await balances(api, shop.secretKey)).toBe(401);
  expect(await isIn(new SessionClient(api.baseUrl, session.cookie))).toBe(401);
  const login = await api.call('POST', '/auth/login', { body: { email: other.email, password: PASSWORD } });
  expect(login.status).toBe(401);
  expect((await api.call('GET', '/auth/me', { token: other.token })).status).toBe(401);
  const again = await signedIn(api, member.email);
  expect(await balances(api, again.token, `?merchantId=${untouched.merchantId}`)).toBe(404);
  expect((await endpointsOf(api, untouched)).map(({ id }) => id)).toEqual([rotated.id]);
  const path = `/merchant/webhook/endpoint/secret?endpointId=${rotated.id}`;
  const { secret } = await api.must<Endpoint>('GET', path, { token: untouched.secretKey });
  expect(secret).not.toBe(rotated.secret);
  expect(await ownSecret(api, untouched)).not.toBe(oldSecret);
  expect(await endpointsOf(api, removing)).toEqual([]);
  // What was not revoked counts.
  expect(await balances(api, untouched.secretKey)).toBe(200);
  expect(await balances(api, kept)).toBe(200);
}

describe('a restore with the list of revocations (ended keys and sessions)', () => {
  it('revokes everything again that was revoked since the backup, and nothing else', async () => {
    const restored = await restore('listed', '--revocations', listPath());
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('Revoked again: ') });
    await using next = await Till.start(ENV, {}, join(dir, 'listed'));
    await expectRevoked(next.api);
  });

  it('creates a public key for the shop, so that the owner can continue', async () => {
    await restore('keys', '--revocations', listPath());
    await using next = await Till.start(ENV, {}, join(dir, 'keys'));
    const { token } = await signedIn(next.api, owner.email);
    const { keys } = await next.api.must<{ keys: { kind: string }[] }>(
      'GET',
      `/merchant/keys?merchantId=${shop.merchantId}`,
      { token },
    );
    expect(keys.map(({ kind }) => kind).toSorted()).toEqual(['public', 'secret']);
  });

  it('is recorded in the audit log of each shop', async () => {
    await restore('audited', '--revocations', listPath());
    await using next = await Till.start(ENV, {}, join(dir, 'audited'));
    const { session: client } = await signedIn(next.api, owner.email);
    const { body } = await client.call<{ entries: { action: string; actor: { kind: string } }[] }>(
      'GET',
      `/merchant/audit?merchantId=${shop.merchantId}`,
    );
    expect(body.data.entries[0]).toMatchObject({ action: 'scripts/restore', actor: { kind: 'operator' } });
  });

  it('refuses an invalid list, and contradicting options', async () => {
    expect((await restore('none', '--revocations', file)).stderr).toContain('not a list of revocations');
    expect((await restore('none', '--revocations', join(dir, 'absent'))).stderr).toContain('does not exist');
    expect(await restore('none', '--revocations', listPath(), '--nothing-revoked')).toMatchObject({
      code: 2,
    });
  });
});

describe('a restore without the list of revocations', () => {
  it('suspends secret keys, keys with wallet:send and members, and ends all sessions', async () => {
    const restored = await restore('suspended');
    expect(restored.code).toBe(0);
    expect(restored.stderr).toContain('suspended until the owner of each shop confirms them');
    await using next = await Till.start(ENV, {}, join(dir, 'suspended'));
    const { api } = next;
    for (const key of [sending, shop.secretKey, untouched.secretKey])
      expect(await balances(api, key)).toBe(403);
    expect(await balances(api, kept)).toBe(200);
    expect((await api.call('GET', '/auth/me', { token: owner.token })).status).toBe(401);
    expect(await isIn(new SessionClient(api.baseUrl, session.cookie))).toBe(401);
    const manager = await signedIn(api, member.email);
    expect(await balances(api, manager.token, `?merchantId=${untouched.merchantId}`)).toBe(403);
    // Payers go on.
    const order = { amount: '10', currency: 'USD', customerId: untouched.customerId, orderId: 'as before' };
    const { publicKey: token } = untouched;
    expect((await api.call('POST', '/payment/create', { token, body: order })).status).toBe(201);
  });

  it('lets the owner re-enable each shop over the API after a step-up', async () => {
    await restore('confirmed');
    await using next = await Till.start(ENV, {}, join(dir, 'confirmed'));
    const { api } = next;
    const body = { merchantId: untouched.merchantId };
    const manager = await signedIn(api, member.email);
    expect((await manager.session.call('POST', '/merchant/keys/confirm', body)).status).toBe(403);
    const fresh = await SessionClient.signIn(api.baseUrl, { email: owner.email, password: PASSWORD });
    const refused = await fresh.call('POST', '/merchant/keys/confirm', body);
    expect(refused.body.error?.code).toBe('STEP_UP_REQUIRED');
    const { session: client, token } = await signedIn(api, owner.email);
    const shops = async () => {
      const { merchants } = await api.must<{ merchants: { id: string; keysSuspended: boolean }[] }>(
        'GET',
        '/merchant/list',
        { token },
      );
      return merchants.filter(({ keysSuspended }) => keysSuspended).map(({ id }) => id);
    };
    expect((await shops()).toSorted()).toEqual([shop.merchantId, untouched.merchantId].toSorted());
    expect((await client.call('POST', '/merchant/keys/confirm', body)).status).toBe(200);
    expect(await shops()).toEqual([shop.merchantId]);
    expect(await balances(api, untouched.secretKey)).toBe(200);
    expect(await balances(api, shop.secretKey)).toBe(403);
  });

  it('lets the operator re-enable shops on the command line', async () => {
    await restore('by-command');
    const target = join(dir, 'by-command');
    const said = await runTool('users', ['confirm-keys', owner.email, '--data-dir', target], { env: ENV });
    expect(said).toMatchObject({ code: 0, stderr: '' });
    await using next = await Till.start(ENV, {}, target);
    expect(await balances(next.api, untouched.secretKey)).toBe(200);
  });

  it('suspends nothing when the operator confirms that nothing was revoked', async () => {
    expect((await restore('word', '--nothing-revoked')).code).toBe(0);
    await using next = await Till.start(ENV, {}, join(dir, 'word'));
    expect(await balances(next.api, untouched.secretKey)).toBe(200);
    expect(await balances(next.api, sending)).toBe(200);
  });
});

/** A data directory with the database of the backup, as a copy of files leaves it. */
async function putBack(name: string): Promise<string> {
  const target = join(dir, name);
  await restore(name, '--nothing-revoked');
  for (const one of readdirSync(target).filter((entry) => entry.startsWith('revocations.')))
    rmSync(join(target, one));
  return target;
}

describe('an older copy of the database, restored by hand', () => {
  it('gets all later revocations again when the list of revocations is present', async () => {
    const target = await putBack('by-hand');
    const path = listPath();
    copyFileSync(path, join(target, path.slice(path.lastIndexOf('/') + 1)));
    await using next = await Till.start(ENV, {}, target);
    await expectRevoked(next.api);
  });

  it('is suspended at the next start when the list of revocations is missing', async () => {
    const target = await putBack('list-lost');
    await using next = await Till.start(ENV, {}, target);
    expect(await balances(next.api, untouched.secretKey)).toBe(403);
  });
});

it('a restart of the daemon keeps the list of revocations and suspends nothing', async () => {
  const before = listed();
  await till.down();
  await till.up();
  expect(listed().startsWith(before)).toBe(true);
  expect(await balances(till.api, untouched.secretKey)).toBe(200);
});

describe('a list of revocations with a kind that only a newer release knows', () => {
  const newer = '0123456789abcdef device-key dkey_1/owner 1700000000000\n';

  it('suspends the shops at a restore, which names the kind', async () => {
    const list = join(dir, 'newer-list');
    writeFileSync(list, `${listed()}${newer}`);
    const restored = await restore('newer', '--revocations', list);
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('(device-key)') as string });
    await using next = await Till.start(ENV, {}, join(dir, 'newer'));
    expect(await balances(next.api, untouched.secretKey)).toBe(403);
  });

  it('suspends the shops at the start after a rollback, once, and stays in the list', async () => {
    await restore('rolled-back', '--revocations', listPath());
    const target = join(dir, 'rolled-back');
    const path = join(target, basename(listPath()));
    appendFileSync(path, newer);
    const next = await Till.start(ENV, {}, target);
    expect(await balances(next.api, untouched.secretKey)).toBe(403);
    expect(readFileSync(path, 'utf8')).toContain(newer);
    await next.down();
    const confirm = ['confirm-keys', owner.email, '--data-dir', target];
    expect(await runTool('users', confirm, { env: ENV })).toMatchObject({ code: 0 });
    await next.up();
    expect(await balances(next.api, untouched.secretKey)).toBe(200);
    expect(readFileSync(path, 'utf8')).toContain(newer);
    await next.end();
  });
});
