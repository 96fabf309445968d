/** What of a shop is set up, told from what happened. */
import { closeSync, openSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertPasskey } from '../../../src/store/accounts/passkeys.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { totpCode } from '../api/world.ts';

interface Step {
  name: string;
  done: boolean;
  at: string | null;
  reason: string | null;
}
interface Setup {
  hasLivePayment: boolean;
  steps: Step[];
  coins: { coin: string; state: string }[];
}

const PASSWORD = 'correct horse battery';
const HOUR_MS = 3_600_000;
let till: Till;
let sink: WebhookSink;
let shop: Shop;

beforeAll(async () => {
  sink = await WebhookSink.start();
  till = await Till.start({ TILLD_BACKUP_SCHEDULE: '0 3 1 1 *', TILLD_BACKUP_MAX_AGE: '26h' });
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => {
  await till?.end();
  await sink?.close();
});

const setup = async (path = '/merchant/setup', token = shop.secretKey): Promise<Setup> =>
  till.api.must<Setup>('GET', path, { token });
const step = async (name: string): Promise<Omit<Step, 'name'> | undefined> => {
  const found = (await setup()).steps.find((one) => one.name === name);
  if (found === undefined) return undefined;
  const { done, at, reason } = found;
  return { done, at, reason };
};
const undone = (reason: string | null = null) => ({ done: false, at: null, reason });
const edit = async (body: object) =>
  till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, ...body },
  });

describe('GET /merchant/setup (the setup checklist)', () => {
  it('lists nothing as done in a new shop, for its user and its key alike', async () => {
    const found = await setup();
    expect(found.hasLivePayment).toBe(false);
    expect(found.steps.map(({ name }) => name)).toEqual([
      'test_payment',
      'webhook',
      'domain',
      'second_factor',
      'backup',
      'node',
    ]);
    expect(found.steps.filter(({ name, done }) => name !== 'backup' && done)).toEqual([]);
    expect(found.coins.map(({ state }) => state)).toEqual(Array(4).fill('not_configured'));
    expect(await setup(`/merchant/setup?merchantId=${shop.merchantId}`, shop.token)).toEqual(found);
  });

  it('marks the test payment as done once one is completed, and never counts it as a live payment', async () => {
    const { id } = await shop.createPayment({ amount: '5000' });
    expect(await step('test_payment')).toEqual(undone());
    const body = { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 9 };
    await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
    await eventually(
      'paid',
      () => shop.payment(id),
      ({ status }) => status === 'completed',
    );
    expect(await step('test_payment')).toEqual({ done: true, at: null, reason: null });
    expect((await setup()).hasLivePayment).toBe(false);
  });

  it('marks the webhook as done once an endpoint answered with success since its URL was set', async () => {
    expect(await step('webhook')).toEqual(undone('no_endpoint'));
    await edit({ webhookUrl: sink.url });
    expect(await step('webhook')).toEqual(undone('no_answer'));
    sink.answer = 500;
    await till.api.must('POST', '/merchant/webhook/test', { token: shop.secretKey, body: {} });
    expect(await step('webhook')).toEqual(undone('no_answer'));
    sink.answer = 200;
    await till.api.must('POST', '/merchant/webhook/test', { token: shop.secretKey, body: {} });
    expect(await step('webhook')).toEqual({ done: true, at: expect.any(String), reason: null });
    await edit({ webhookUrl: `${sink.url}moved` });
    expect(await step('webhook')).toEqual(undone('no_answer'));
  });

  it('marks the webhook as done by deliveries to URLs of payments when the shop has no webhook URL', async () => {
    const other = await Shop.open(till.api);
    await other.createPayment({ webhookUrl: sink.url });
    const told = await eventually(
      'the delivery to be logged',
      () => setup('/merchant/setup', other.secretKey),
      ({ steps }) => steps[1]?.done === true,
    );
    expect(told.steps[1]).toEqual({ name: 'webhook', done: true, at: expect.any(String), reason: null });
  });

  it('marks the domain as done once it is verified', async () => {
    const sqlite = new Database(join(till.dataDir, 'tilld.sqlite'));
    sqlite
      .prepare('UPDATE merchants SET domain_verified_at = 1800000000000 WHERE id = ?')
      .run(shop.merchantId);
    sqlite.close();
    expect(await step('domain')).toEqual({ done: true, at: '2027-01-15T08:00:00.000Z', reason: null });
  });

  it('marks the second factor as done once it is enabled', async () => {
    const token = shop.token;
    const body = { password: PASSWORD };
    const { secret } = await till.api.must<{ secret: string }>('POST', '/auth/totp/setup', { token, body });
    expect(await step('second_factor')).toEqual(undone());
    await till.api.must('POST', '/auth/totp/enable', {
      token,
      body: { code: totpCode(secret, till.clock.now()) },
    });
    expect(await step('second_factor')).toEqual({ done: true, at: expect.any(String), reason: null });
  });

  it('marks the second factor as done by a passkey', async () => {
    const other = await Shop.open(till.api);
    const { user } = await till.api.must<{ user: { id: string } }>('GET', '/auth/me', { token: other.token });
    const stepOf = async () =>
      (await setup('/merchant/setup', other.secretKey)).steps.find(({ name }) => name === 'second_factor');
    expect(await stepOf()).toMatchObject(undone());
    const { db, ...database } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    const row = {
      id: 'pk',
      userId: user.id,
      credentialId: 'c',
      publicKey: 'p',
      counter: 0,
      transportsJson: '[]',
      rpId: 'localhost',
      name: 'Phone',
      backedUp: false as const,
      createdAt: 1_800_000_000_000,
      lastUsedAt: null,
    };
    expect(await db.transaction(async (tx) => insertPasskey(tx, row))).toBe(true);
    await database.close();
    expect(await stepOf()).toMatchObject({ done: true, at: '2027-01-15T08:00:00.000Z' });
  });

  it('marks backups as done while the newest scheduled one is recent, without showing their folder', async () => {
    // The daemon makes one at its start.
    await eventually(
      'a first backup',
      () => step('backup'),
      (found) => found?.done === true,
      60_000,
    );
    const mark = join(till.dataDir, 'last-backup');
    const madeAgo = (ms: number): void => {
      closeSync(openSync(mark, 'a'));
      const at = (till.clock.now() - ms) / 1000;
      utimesSync(mark, at, at);
    };
    madeAgo(27 * HOUR_MS);
    expect(await step('backup')).toEqual(undone('too_old'));
    madeAgo(HOUR_MS);
    expect(await step('backup')).toEqual({ done: true, at: expect.any(String), reason: null });
    expect(JSON.stringify(await setup())).not.toContain(till.dataDir);
    await using unscheduled = await Till.start();
    const { secretKey } = await Shop.open(unscheduled.api);
    const { steps } = await unscheduled.api.must<Setup>('GET', '/merchant/setup', { token: secretKey });
    expect(steps.find(({ name }) => name === 'backup')).toEqual({
      name: 'backup',
      ...undone('not_scheduled'),
    });
  });

  it('rejects restricted and public keys', async () => {
    const other = await Shop.open(till.api);
    const { key } = await till.api.must<{ key: { value: string } }>('POST', '/merchant/keys/create', {
      token: other.token,
      body: { merchantId: other.merchantId, name: 'Reader', scopes: ['payments:read', 'wallet:read'] },
    });
    for (const [token, status] of [
      [key.value, 403],
      [other.publicKey, 401],
    ] as const) {
      expect((await till.api.call('GET', '/merchant/setup', { token })).status).toBe(status);
    }
  });
});
