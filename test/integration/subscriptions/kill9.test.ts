/** kill -9 before the writes of invoices, payments and cancellations: each period has one invoice, one payment and one mail. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { reading } from '../../_helpers/earlier-databases.ts';
import { FakeClock } from '../../_helpers/fake-clock.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink, tokenIn } from '../../_helpers/smtp-sink.ts';
import type { SubscriptionJson } from '../../_helpers/subscription-shop.ts';
import { TillProcess } from '../../_helpers/till.ts';

const DAY = 86_400_000;
const NOON = Math.ceil(Date.now() / DAY) * DAY + DAY / 2;
const LIMIT_MS = 120_000;
/** Writes after which the daemon is killed: an invoice takes about thirty, a payment twenty. */
const STEPS = [0, 1, 2, 4, 7, 11, 16, 22, 29] as const;
const LOGIN = { email: 'owner@example.com', password: 'correct horse battery' };

let dir: string;
let clock: FakeClock;
let sink: SmtpSink;
let till: TillProcess;
let shop: Shop;
let priceId: string;
let kills = 0;

const must = async <T = SubscriptionJson>(method: string, path: string, body?: object): Promise<T> =>
  till.api.must<T>(method, path, { token: shop.secretKey, ...(body === undefined ? {} : { body }) });
const read = async (id: string): Promise<SubscriptionJson> =>
  must('GET', `/merchant/subscription/get?subscriptionId=${id}`);
/** The ids of the mails that arrived, without repeats. */
const mailed = (): string[] => [
  ...new Set(sink.mails.flatMap(({ raw }) => /^Message-ID: <(sub_[^@]+)@/im.exec(raw)?.[1] ?? [])),
];
const isMailed = async (id: string): Promise<void> =>
  void (await eventually(`the mail ${id}`, mailed, (ids) => ids.includes(id), LIMIT_MS));

/** Acts, and kills the daemon before one of the writes that follow; starts it again. */
async function killing(
  step: number,
  act: () => Promise<unknown>,
  isDone: () => Promise<boolean>,
): Promise<void> {
  writeFileSync(join(dir, 'kill-at'), String(step));
  const ended = till.ended().then(() => true);
  await act().catch(() => undefined);
  const done = eventually('the act is done', async () => isDone().catch(() => false), Boolean, LIMIT_MS);
  await Promise.race([ended, done]);
  rmSync(join(dir, 'kill-at'));
  // It may have died between the end of the act and the removal of the file.
  const isAlive = await fetch(`${till.api.baseUrl}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isAlive) {
    await ended;
    kills += 1;
    await till.up();
  }
  await done;
}

const isInvoiced = (id: string) => async (): Promise<boolean> => (await read(id)).openPaymentId !== null;
const isPaid = (id: string) => async (): Promise<boolean> => (await read(id)).openPaymentId === null;

async function pay(id: string): Promise<void> {
  const { openPaymentId: paymentId } = await read(id);
  await must('POST', '/sandbox/payment/simulate', { paymentId, scenario: 'exact', coin: 'BTC' });
}

async function subscribe(): Promise<string> {
  const more = { customer: { email: LOGIN.email }, allowedCryptos: ['BTC'] };
  return (await must('POST', '/merchant/subscription/create', { priceId, ...more })).id;
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-subscriptions-'));
  clock = new FakeClock(NOON);
  sink = await SmtpSink.start();
  const env = {
    ...clock.env,
    NODE_OPTIONS: `--import=${import.meta.resolve('../../_helpers/kill-at-write.ts')}`,
    KILL_AT_WRITE: join(dir, 'kill-at'),
    KILL_AT_TABLES: 'subscription',
    TILLD_SMTP_URL: sink.url,
    TILLD_SMTP_FROM: 'till@pay.example.com',
  };
  till = await TillProcess.start(env, join(dir, 'data'));
  await till.ready();
  const { token } = await till.api.must<{ token: string }>('POST', '/auth/register', { body: LOGIN });
  const [first] = await eventually(
    'the verification arrived',
    () => sink.mails,
    ({ length }) => length > 0,
  );
  const proof = { token: tokenIn(readable(first?.raw ?? '')) };
  await till.api.must('POST', '/auth/verify-email', { token, body: proof });
  shop = await Shop.open(till.api, { owner: token, settings: { invoiceLeadDays: 0 } });
  const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
    token,
    body: { name: 'Tea club', recurring: true, recurringInterval: 'daily' },
  });
  const price = await till.api.must<{ id: string }>('POST', '/merchant/price/create', {
    token,
    body: { productId: product.id, amount: '10', currency: 'USD' },
  });
  priceId = price.id;
}, 300_000);

afterAll(async () => {
  await till.end();
  await sink.stop();
  clock[Symbol.dispose]();
  rmSync(dir, { recursive: true, force: true });
});

describe('a daemon that is killed before any write about a subscription', () => {
  it('makes one invoice, one payment and one mail of each kind for each period', async () => {
    const id = await subscribe();
    await isMailed(`${id}/0/invoice/0`);
    for (const [n, step] of STEPS.entries()) {
      await killing(step, async () => pay(id), isPaid(id));
      await isMailed(`${id}/${n}/paid/0`);
      await killing(step, async () => clock.step(DAY), isInvoiced(id));
      await isMailed(`${id}/${n + 1}/invoice/0`);
    }
    expect(kills).toBeGreaterThan(STEPS.length);
    const periods = Array.from({ length: STEPS.length + 1 }, (_, n) => n);
    const { invoices } = await must<{ invoices: { n: number; status: string; due: string }[] }>(
      'GET',
      `/merchant/subscription/invoices?subscriptionId=${id}`,
    );
    expect(invoices.map(({ n, due, status }) => `${n} ${due} ${status}`)).toEqual(
      periods.map((n) => `${n} 10 ${n === STEPS.length ? 'open' : 'paid'}`).toReversed(),
    );
    expect(await read(id)).toMatchObject({ credit: '0' });
    expect(mailed().toSorted()).toEqual(
      periods
        .flatMap((n) =>
          (n === STEPS.length ? ['invoice'] : ['invoice', 'paid']).map((kind) => `${id}/${n}/${kind}/0`),
        )
        .toSorted(),
    );
    reading(join(dir, 'data', 'tilld.sqlite'), (db) => {
      const count = (sql: string): unknown => db.prepare(sql).pluck().get(id);
      expect(count(`SELECT count(*) FROM payments WHERE order_id LIKE ? || '/%'`)).toBe(periods.length);
      expect(
        count(`SELECT count(*) FROM events WHERE type = 'subscription.invoiced' AND subscription_id = ?`),
      ).toBe(periods.length);
      expect(
        count(`SELECT count(*) FROM events WHERE type = 'subscription.renewed' AND subscription_id = ?`),
      ).toBe(STEPS.length);
      expect(count(`SELECT sum(mailed) FROM subscription_mails WHERE subscription_id = ?`)).toBe(
        2 * STEPS.length + 1,
      );
    });
  }, 1_200_000);

  it('cancels once, with one mail, and makes no further invoice', async () => {
    for (const step of [0, 2, 5, 9]) {
      const id = await subscribe();
      await pay(id);
      await isMailed(`${id}/0/paid/0`);
      const isOver = async (): Promise<boolean> => (await read(id)).status === 'cancelled';
      const cancel = async () =>
        must('POST', '/merchant/subscription/cancel', { subscriptionId: id, atPeriodEnd: false });
      await killing(step, cancel, async () => (await isOver()) || (await cancel(), isOver()));
      await isMailed(`${id}/1/cancelled/0`);
      expect(mailed().filter((each) => each.startsWith(`${id}/1`))).toEqual([`${id}/1/cancelled/0`]);
    }
  }, 600_000);

  it('repeats a mail under its id, and an invoice under its order id, when it starts with an older database', async () => {
    const id = await subscribe();
    await pay(id);
    await isMailed(`${id}/0/paid/0`);
    await till.terminate();
    cpSync(join(dir, 'data'), join(dir, 'older'), { recursive: true });
    await till.up();
    clock.step(DAY);
    await isMailed(`${id}/1/invoice/0`);
    const before = mailed();
    const sent = sink.mails.length;
    await till.kill9();
    rmSync(join(dir, 'data'), { recursive: true });
    cpSync(join(dir, 'older'), join(dir, 'data'), { recursive: true });
    await till.up();
    await eventually('it is invoiced again', isInvoiced(id), Boolean, LIMIT_MS);
    await eventually(
      'it is mailed again',
      () => sink.mails.length,
      (count) => count > sent,
      LIMIT_MS,
    );
    expect(mailed().filter((each) => each.startsWith(id))).toEqual(
      before.filter((each) => each.startsWith(id)),
    );
  }, 600_000);
});
