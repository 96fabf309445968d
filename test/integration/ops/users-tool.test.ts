import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { base32nopad } from '@scure/base';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { newPerson, signedIn } from '../../_helpers/people.ts';
import { SessionClient } from '../../_helpers/session-client.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSWORD = 'correct horse battery';
const ENV = { TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator' };

let till: Till;
beforeAll(async () => {
  till = await Till.start(ENV);
});
afterAll(async () => till?.end());

const users = async (args: string[], input?: string) =>
  runTool('users', [...args, '--data-dir', till.dataDir], {
    env: ENV,
    ...(input === undefined ? {} : { input }),
  });
const login = async (email: string, password: string) =>
  till.api.call<{ token: string }>('POST', '/auth/login', { body: { email, password } });

async function accountLog(session: SessionClient): Promise<{ action: string; actor: { kind: string } }[]> {
  const { body } = await session.call<{ entries: { action: string; actor: { kind: string } }[] }>(
    'GET',
    '/auth/audit',
  );
  return body.data.entries;
}

describe('scripts/users', () => {
  it('lists accounts with their credentials and shops', async () => {
    const shop = await Shop.open(till.api);
    const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', {
      token: shop.token,
    });
    const { code, stdout } = await users(['list']);
    expect(code).toBe(0);
    const line = stdout.split('\n').find((text) => text.startsWith(`${user.email};`));
    expect(line).toContain('not confirmed; password only; 0 passkeys');
    expect(line).toContain('shops: ');
  });

  it('sets a generated password, prints it once, and revokes existing sessions and tokens', async () => {
    const person = await newPerson(till.api);
    const { code, stdout, stderr } = await users(['reset-password', person.email, '--generate']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const password = stdout.trim();
    expect(password).toMatch(/^[0-9A-Za-z]{20}$/);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect((await till.api.call('GET', '/auth/me', { token: person.token })).status).toBe(401);
    expect((await person.session.call('GET', '/auth/session')).status).toBe(401);
    expect((await login(person.email, password)).status).toBe(200);
    const session = await SessionClient.signIn(till.api.baseUrl, { email: person.email, password });
    expect(await accountLog(session)).toContainEqual(
      expect.objectContaining({
        action: 'scripts/users reset-password',
        actor: expect.objectContaining({ kind: 'operator' }) as unknown,
      }),
    );
  });

  it('reads a password from the standard input, never from an argument, and refuses a common one', async () => {
    const { email } = await newPerson(till.api);
    const fromInput = ['reset-password', email, '--password-file', '-'];
    expect(await users(fromInput, 'password1')).toMatchObject({ code: 1 });
    expect(await users(['reset-password', email, 'on the command line'])).toMatchObject({ code: 2 });
    expect(await users(fromInput, 'an entirely new one')).toMatchObject({ code: 0 });
    expect((await login(email, 'an entirely new one')).status).toBe(200);
  });

  it('disables a lost second factor', async () => {
    const { email, session } = await newPerson(till.api);
    const setup = await session.call<{ secret: string }>('POST', '/auth/totp/setup', { password: PASSWORD });
    const step = Math.floor(till.clock.now() / 30_000);
    const code = codeOfStep(base32nopad.decode(setup.body.data.secret), step);
    expect((await session.call('POST', '/auth/totp/enable', { code })).status).toBe(200);
    expect((await login(email, PASSWORD)).body.error?.code).toBe('SECOND_FACTOR_REQUIRED');
    expect(await users(['reset-second-factor', email])).toMatchObject({ code: 0 });
    expect((await login(email, PASSWORD)).status).toBe(200);
  });

  it('transfers everything from one account to another account that is empty', async () => {
    const [before, after] = [await newPerson(till.api, 'before'), await newPerson(till.api, 'after')];
    const shop = await Shop.open(till.api, { owner: before.token });
    expect(await users(['make-owner', after.email, '--instead-of', before.email])).toMatchObject({ code: 0 });
    expect((await till.api.call('GET', '/auth/me', { token: before.token })).status).toBe(401);
    const { token } = await signedIn(till.api, after.email);
    const { merchants } = await till.api.must<{ merchants: { id: string; role: string }[] }>(
      'GET',
      '/merchant/list',
      { token },
    );
    expect(merchants).toMatchObject([{ id: shop.merchantId, role: 'owner' }]);
    const { customers } = await till.api.must<{ customers: { id: string }[] }>(
      'GET',
      '/merchant/customer/list',
      { token },
    );
    expect(customers.map(({ id }) => id)).toContain(shop.customerId);
    expect((await shop.createPayment()).status).toBe('pending');
    const third = await newPerson(till.api, 'third');
    await Shop.open(till.api, { owner: third.token });
    const refused = await users(['make-owner', third.email, '--instead-of', after.email]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has shops, customers') });
  });

  it('reports an unknown account, and rejects an unknown command with exit code 2', async () => {
    expect((await users(['reset-password', 'nobody@example.com', '--generate'])).stderr).toContain(
      'no account has the address nobody@example.com',
    );
    expect(await users(['forget'])).toMatchObject({ code: 2 });
  });
});

it('scripts/seed show records in the audit log of each shop that the words were shown', async () => {
  const shop = await Shop.open(till.api);
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', {
    token: shop.token,
  });
  const shown = await runTool('seed', ['show', '--yes', '--data-dir', till.dataDir], { env: ENV });
  expect([shown.code, shown.stdout.trim().split(' ').length, shown.stderr]).toEqual([0, 24, '']);
  const session = await SessionClient.signIn(till.api.baseUrl, { email: user.email, password: PASSWORD });
  const { body } = await session.call<{ entries: { action: string; actor: { kind: string } }[] }>(
    'GET',
    `/merchant/audit?merchantId=${shop.merchantId}`,
  );
  expect(body.data.entries).toContainEqual(
    expect.objectContaining({
      action: 'scripts/seed show',
      actor: expect.objectContaining({ kind: 'operator' }),
    }),
  );
});
