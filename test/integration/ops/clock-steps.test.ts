import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { FakeClock } from '../../_helpers/fake-clock.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SmtpSink } from '../../_helpers/smtp-sink.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { cpuSecondsOfTree } from '../../_helpers/timing/cpu-time.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
/** Between two times of the backup's schedule: what a step crosses is known. */
const NOON = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 12 * HOUR_MS;
const LOGIN = { email: 'owner@example.com', password: 'correct horse battery' };
/** As many requests as cover the ticks of the loops that run every second. */
const REQUESTS = 60;

let clock: FakeClock;
let dir: string;
let mails: SmtpSink;
let hooks: WebhookSink;
let till: TillProcess;
let shop: Shop;

/** Seconds of CPU that the daemon used while it answered over some seconds. */
async function cpuSecondsWhileAnswering(): Promise<number> {
  const before = cpuSecondsOfTree(till.pid);
  for (let request = 0; request < REQUESTS; request += 1) {
    expect((await till.api.call('GET', '/healthz')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return cpuSecondsOfTree(till.pid) - before;
}

/** Sets the clock and waits until the daemon shows the new time, then that its loops go on and nothing froze it. */
async function stepClock(byMs: number): Promise<void> {
  clock.step(byMs);
  const cpuSeconds = await cpuSecondsWhileAnswering();
  const { headers } = await till.api.call('GET', '/healthz');
  expect(Math.abs(new Date(headers.get('date') ?? 0).getTime() - clock.now())).toBeLessThan(HOUR_MS / 2);
  // A loop that makes up for a step of a day freezes the daemon for 40 seconds of CPU.
  expect(cpuSeconds).toBeLessThan(15);
  const token = await login();
  expect((await till.api.call('GET', '/auth/me', { token })).status).toBe(200);
  const fresh = await shop.createPayment({ allowedCryptos: ['BTC'] });
  await hooks.waitForEvent('payment.created', fresh.id, 60_000);
  await pay(fresh);
}

async function login(): Promise<string> {
  return (await till.api.must<{ token: string }>('POST', '/auth/login', { body: LOGIN })).token;
}

async function pay(payment: PaymentJson): Promise<void> {
  const body = { paymentId: payment.id, scenario: 'exact', coin: 'BTC' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  await hooks.waitForEvent('payment.completed', payment.id, 60_000);
}

/** The folder is made by the first backup. */
function backups(): number {
  if (!existsSync(join(dir, 'backups'))) return 0;
  return readdirSync(join(dir, 'backups')).filter((name) => name.endsWith('.backup')).length;
}

async function backedUp(count: number): Promise<void> {
  await eventually(`${count} backups`, backups, (made) => made >= count, 60_000);
}

beforeAll(async () => {
  clock = new FakeClock(NOON);
  dir = mkdtempSync(join(tmpdir(), 'till-clock-'));
  mails = await SmtpSink.start();
  hooks = await WebhookSink.start();
  const env = {
    ...clock.env,
    TILLD_SMTP_URL: mails.url,
    TILLD_SMTP_FROM: 'till@pay.example.com',
    TILLD_BACKUP_SCHEDULE: '30 12 * * *',
    TILLD_BACKUP_FOLDER: join(dir, 'backups'),
    TILLD_KEYRING_PASSPHRASE: 'a passphrase of the operator',
  };
  till = await TillProcess.start(env, join(dir, 'data'));
  await till.ready();
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body: LOGIN });
  const settings = { paymentLifetimeMinutes: 24 * 60 };
  shop = await Shop.open(till.api, { owner: token, webhookUrl: hooks.url, settings });
});

afterAll(async () => {
  await till.end();
  await mails.stop();
  await hooks[Symbol.asyncDispose]();
  clock[Symbol.dispose]();
  rmSync(dir, { recursive: true, force: true });
});

describe('a running daemon whose clock jumps', () => {
  let first: PaymentJson;
  let second: PaymentJson;
  let sendId: string;
  const idempotencyKey = randomUUID();
  let destination = '';
  const order = () => ({ coin: 'BTC', amount: '0.0001', destination });

  it('uses the simulated clock, makes its first backup and processes payments and a send', async () => {
    const { headers } = await till.api.call('GET', '/healthz');
    expect(Math.abs(new Date(headers.get('date') ?? 0).getTime() - NOON)).toBeLessThan(HOUR_MS / 4);
    await backedUp(1);
    first = await shop.createPayment();
    await pay(await shop.createPayment({ allowedCryptos: ['BTC'] }));
    destination = (await Shop.open(till.api, { owner: await login() })).wallets.BTC;
    const answer = await till.api.must<{ id: string }>('POST', '/merchant/wallet/send', {
      token: shop.secretKey,
      headers: { 'idempotency-key': idempotencyKey },
      body: order(),
    });
    sendId = answer.id;
    await hooks.waitForEvent('send.confirmed', sendId, 60_000);
  });

  it('responds after a step of one hour forward, makes the skipped backup, and expires no payment that has a day left', async () => {
    await stepClock(HOUR_MS);
    await backedUp(2);
    second = await shop.createPayment();
    expect((await shop.payment(first.id)).status).toBe('pending');
    expect((await till.api.call('GET', '/auth/me', { token: shop.token })).status).toBe(200);
  });

  it('responds after a step of one day forward and expires only due payments', async () => {
    await stepClock(DAY_MS - HOUR_MS / 2);
    await backedUp(3);
    await hooks.waitForEvent('payment.expired', first.id, 60_000);
    expect((await shop.payment(second.id)).status).toBe('pending');
    expect((await till.api.call('GET', '/auth/me', { token: shop.token })).status).toBe(401);
  });

  it('responds after a step of three years forward, and makes one backup instead of a thousand', async () => {
    await stepClock(3 * YEAR_MS);
    await backedUp(4);
    await hooks.waitForEvent('payment.expired', second.id, 60_000);
  });

  it('responds after a step of one day back, expires no payment created since, and rejects tokens from the future', async () => {
    const token = await login();
    const open = await shop.createPayment();
    await stepClock(-DAY_MS);
    expect((await till.api.call('GET', '/auth/me', { token })).status).toBe(401);
    expect((await shop.payment(open.id)).status).toBe('pending');
  });

  it('repeats no webhook, email, backup or send after any of these steps', async () => {
    await cpuSecondsWhileAnswering();
    const webhooks = hooks.deliveries.map(({ headers }) => headers['webhook-id']);
    expect(new Set(webhooks).size).toBe(webhooks.length);
    expect(hooks.types(sendId)).toEqual(['send.broadcast', 'send.confirmed']);
    for (const payment of [first, second])
      expect(hooks.types(payment.id)).toEqual(['payment.created', 'payment.expired']);
    const sent = mails.mails.map(({ raw }) => /^Message-ID: .*$/im.exec(raw)?.[0]);
    expect(sent.length).toBeGreaterThan(0);
    expect(new Set(sent).size).toBe(sent.length);
    expect(backups()).toBe(4);
    const repeated = await till.api.must<{ id: string }>('POST', '/merchant/wallet/send', {
      token: shop.secretKey,
      headers: { 'idempotency-key': idempotencyKey },
      body: order(),
    });
    expect(repeated.id).toBe(sendId);
  });
});
