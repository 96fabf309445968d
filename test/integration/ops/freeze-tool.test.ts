import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type ApiClient } from '../../_helpers/api-client.ts';
import { newPerson, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSWORD = 'correct horse battery';
const ENV = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };

let dir: string;
let till: Till;
let owner: Person;
let shop: Shop;
let key: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-frozen-'));
  till = await Till.start(ENV);
  owner = await newPerson(till.api, 'owner');
  shop = await Shop.open(till.api, { owner: owner.token });
  const made = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
    token: shop.token,
    body: { merchantId: shop.merchantId, name: 'Treasury', scopes: ['wallet:send', 'wallet:read'] },
  });
  key = made.key.value;
});
afterAll(async () => {
  await till?.end();
  rmSync(dir, { recursive: true, force: true });
});

const tillctl = async (...args: string[]) =>
  runTool('tillctl', [...args, '--data-dir', till.dataDir], { env: ENV });
const state = async (api: ApiClient) =>
  api.must<{ frozen: boolean; byOperator: boolean; frozenBy: string | null; reason: string | null }>(
    'GET',
    '/merchant/wallet/freeze',
    { token: shop.secretKey },
  );
const freeze = async (api: ApiClient) =>
  api.must('POST', '/merchant/wallet/freeze', { token: key, body: { reason: 'A key was stolen' } });
const unfreeze = async (api: ApiClient) => {
  const session = await SessionClient.signIn(api.baseUrl, { email: owner.email, password: PASSWORD });
  const first = await session.call('POST', '/merchant/wallet/unfreeze', { merchantId: shop.merchantId });
  expect(first.body.error?.code).toBe('STEP_UP_REQUIRED');
  await session.call('POST', '/auth/step-up', { password: PASSWORD });
  return session.call('POST', '/merchant/wallet/unfreeze', { merchantId: shop.merchantId });
};
/** The code of a send; the wallet is empty, which is noticed after the freeze. */
const sendCode = async (api: ApiClient): Promise<string | undefined> => {
  const destination = shop.wallets.BTC;
  const answer = await api.call('POST', '/merchant/wallet/send', {
    token: shop.secretKey,
    body: { coin: 'BTC', destination, amount: '0.01' },
  });
  return answer.body.error?.code;
};
const actions = async (): Promise<string[]> => {
  const { body } = await owner.session.call<{ entries: { action: string; actor: { name: string } }[] }>(
    'GET',
    `/merchant/audit?merchantId=${shop.merchantId}`,
  );
  return body.data.entries.map(({ action, actor }) => `${actor.name}: ${action}`);
};
const listPath = (): string =>
  join(till.dataDir, readdirSync(till.dataDir).find((name) => name.startsWith('revocations.')) ?? '');
const listHas = async (line: string): Promise<void> => {
  await eventually(
    `the list of revocations has ${line}`,
    () => readFileSync(listPath(), 'utf8'),
    (text) => text.includes(line),
  );
};

describe('POST /merchant/wallet/freeze', () => {
  it('accepts a key, shows the name of the key, and can be undone only by the owner after a step-up', async () => {
    await freeze(till.api);
    expect(await state(till.api)).toMatchObject({
      frozen: true,
      byOperator: false,
      frozenBy: 'Treasury',
      reason: 'A key was stolen',
    });
    expect(await sendCode(till.api)).toBe('WALLET_FROZEN');
    for (const token of [key, shop.secretKey, owner.token]) {
      const refused = await till.api.call('POST', '/merchant/wallet/unfreeze', {
        token,
        body: { merchantId: shop.merchantId },
      });
      expect(refused.status).toBe(401);
    }
    const order = { amount: '10', currency: 'USD', customerId: shop.customerId, orderId: 'goes on' };
    const paid = await till.api.call('POST', '/payment/create', { token: shop.publicKey, body: order });
    expect(paid.status).toBe(201);
    expect((await unfreeze(till.api)).status).toBe(200);
    expect(await sendCode(till.api)).not.toBe('WALLET_FROZEN');
    expect(await actions()).toEqual(
      expect.arrayContaining([
        'Treasury: POST /merchant/wallet/freeze',
        `${owner.email}: POST /merchant/wallet/unfreeze`,
      ]),
    );
  });

  it('is in effect after a restart, and after the restore of a backup made before it', async () => {
    const file = join(dir, 'before.backup');
    expect(await runTool('backup', [file, '--data-dir', till.dataDir], { env: ENV })).toMatchObject({
      code: 0,
    });
    await freeze(till.api);
    await listHas(` wallet-freeze ${shop.merchantId} `);
    await till.down();
    await till.up();
    expect(await sendCode(till.api)).toBe('WALLET_FROZEN');
    const target = join(dir, 'restored');
    const list = join(dir, 'list');
    copyFileSync(listPath(), list);
    const args = [file, '--data-dir', target, '--look-ahead', '5', '--revocations', list];
    expect(await runTool('restore', args, { env: ENV })).toMatchObject({ code: 0 });
    {
      await using next = await Till.start(ENV, {}, target);
      expect(await state(next.api)).toMatchObject({ frozen: true, frozenBy: 'before a restore' });
      expect(await sendCode(next.api)).toBe('WALLET_FROZEN');
    }
    expect((await unfreeze(till.api)).status).toBe(200);
  });

  it('is not in effect after a restore when it was undone after the backup', async () => {
    await freeze(till.api);
    const file = join(dir, 'frozen.backup');
    expect(await runTool('backup', [file, '--data-dir', till.dataDir], { env: ENV })).toMatchObject({
      code: 0,
    });
    await unfreeze(till.api);
    await eventually(
      'the list ends with the unfreeze',
      () => readFileSync(listPath(), 'utf8').lastIndexOf('wallet-unfreeze'),
      (at) => at > readFileSync(listPath(), 'utf8').lastIndexOf('wallet-freeze'),
    );
    const target = join(dir, 'lifted');
    const list = join(dir, 'list-lifted');
    copyFileSync(listPath(), list);
    const args = [file, '--data-dir', target, '--look-ahead', '5', '--revocations', list];
    expect(await runTool('restore', args, { env: ENV })).toMatchObject({ code: 0 });
    await using next = await Till.start(ENV, {}, target);
    expect((await state(next.api)).frozen).toBe(false);
  });
});

describe('tillctl freeze', () => {
  it('freezes every wallet while the daemon runs, and owners cannot unfreeze it', async () => {
    expect(await tillctl('freeze', '--reason', 'the host was broken into')).toMatchObject({
      code: 0,
      stdout: 'every wallet: frozen\n',
    });
    expect(await state(till.api)).toMatchObject({
      frozen: true,
      byOperator: true,
      frozenBy: 'Operator of the server',
      reason: 'the host was broken into',
    });
    expect(await sendCode(till.api)).toBe('WALLET_FROZEN');
    expect((await unfreeze(till.api)).body.data).toMatchObject({ frozen: true, byOperator: true });
    expect((await tillctl('freeze', '--list')).stdout).toMatch(
      /^every wallet: since \S+ by Operator of the server: the host was broken into\n$/,
    );
    expect(await actions()).toContain('Operator of the server: tillctl freeze');
  });

  it('freezes one shop while every wallet is frozen, and tillctl unfreeze ends each freeze separately', async () => {
    expect((await tillctl('freeze', '--shop', shop.merchantId)).stdout).toBe(`${shop.merchantId}: frozen\n`);
    expect((await tillctl('unfreeze')).stdout).toBe(
      `every wallet: unfrozen\nstill frozen: ${shop.merchantId}\n`,
    );
    expect(await sendCode(till.api)).toBe('WALLET_FROZEN');
    expect((await tillctl('unfreeze', '--shop', shop.merchantId)).code).toBe(0);
    expect(await sendCode(till.api)).not.toBe('WALLET_FROZEN');
    expect(await tillctl('freeze', '--shop', 'nothing')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no shop has the id nothing'),
    });
  });
});
