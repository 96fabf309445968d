import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { arrived, choose, openShop, pay, to } from '../../_helpers/notice-mails.ts';
import { readable, SmtpSink, type ReceivedMail, subjectOf } from '../../_helpers/smtp-sink.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';

const HOUR_MS = 3_600_000;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function startSink(port = 0): Promise<SmtpSink> {
  const sink = await SmtpSink.start({ port });
  ends.push(() => sink.stop().catch(() => undefined));
  return sink;
}

async function startTill(sink: SmtpSink, env: Record<string, string> = {}): Promise<Till> {
  const till = await Till.start({
    TILLD_SMTP_URL: sink.url,
    TILLD_BASE_URL: 'https://pay.example.com',
    TILLD_SANDBOX_BLOCK_INTERVAL: '200ms',
    ...env,
  });
  ends.push(() => till.end());
  await till.ready();
  return till;
}

/** The address in the header, which may stand on a line of its own. */
const unsubscribeIn = ({ raw }: ReceivedMail): string =>
  /^List-Unsubscribe:\s*<([^>]+)>/m.exec(raw.replace(/\r\n[ \t]+/g, ''))?.[1] ?? '';

const reach = async (shop: Shop, id: string, status: string) =>
  eventually(
    `the payment is ${status}`,
    () => shop.payment(id),
    (payment) => payment.status === status,
    30_000,
  );

it('email notices of paid payments are sent to each subscriber, in the language of the user, until a one-click unsubscribe', async () => {
  const sink = await startSink();
  const till = await startTill(sink);
  const { shop, email } = await openShop(sink, till, { paid: true });
  const other = await openShop(sink, till);
  await choose(shop, { language: 'de' });
  const first = await pay(shop, 'exact', 'Order-1');
  const [mail] = await arrived(sink, email, /Order-1/);
  expect(subjectOf(mail!)).toMatch(/^Test: .+: Order-1 ist bezahlt$/);
  const text = readable(mail!.raw);
  expect(text).toContain(`https://pay.example.com/dashboard/shop/${shop.merchantId}/payments/${first}`);
  expect(mail!.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  const url = new URL(unsubscribeIn(mail!));
  const page = `${till.api.baseUrl}${url.pathname}${url.search}`;
  const shown = await fetch(page, { headers: { 'accept-language': 'fr' } });
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Les désactiver')]);
  // Looking has changed nothing.
  await pay(shop, 'exact', 'Order-2');
  await arrived(sink, email, /Order-2/);
  const posted = await fetch(page, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(posted.status).toBe(200);
  const { notices } = await till.api.must<{ notices: object }>(
    'GET',
    `/merchant/notices?merchantId=${shop.merchantId}`,
    { token: shop.token },
  );
  expect(notices).toMatchObject({ mailServer: true, isVerified: true, language: 'de', testPayments: true });
  expect(notices).toHaveProperty(
    'kinds',
    expect.arrayContaining([{ kind: 'paid', enabled: false, fixed: false }]),
  );
  const third = await pay(shop, 'exact', 'Order-3');
  await reach(shop, third, 'completed');
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
  const settled = db.prepare('SELECT told_at FROM notices WHERE subject = ?').pluck();
  await eventually(
    'the third was looked at',
    () => settled.get(third),
    (at) => typeof at === 'number',
  );
  db.close();
  await choose(shop, { kinds: { paid: true } });
  await pay(shop, 'exact', 'Order-4');
  await arrived(sink, email, /Order-4/);
  expect(to(sink, email, /Order-\d/).map((one) => /Order-\d/.exec(subjectOf(one))?.[0])).toEqual([
    'Order-1',
    'Order-2',
    'Order-4',
  ]);
  expect(to(sink, other.email, /Order/)).toEqual([]);
});

it('unsubscribe links are rejected when altered or with a token for another purpose', async () => {
  const sink = await startSink();
  const till = await startTill(sink);
  for (const token of ['', 'v1.abc', `v1.${'A'.repeat(200)}`, 'x'.repeat(5_000)]) {
    const { status, headers } = await fetch(`${till.api.baseUrl}/notices/off?token=${token}`, {
      method: 'POST',
    });
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('text/html');
  }
});

it('an email notice asks the shop to decide about a payment after its deadline, with one reminder after a day', async () => {
  const sink = await startSink();
  const till = await startTill(sink);
  const { shop, email } = await openShop(sink, till, { paid: true });
  const waits = await pay(shop, 'underpay', 'Short-1');
  const decided = await pay(shop, 'underpay', 'Short-2');
  await reach(shop, waits, 'underpaid');
  await reach(shop, decided, 'underpaid');
  expect(to(sink, email, /Short/)).toEqual([]);
  till.clock.advance(2 * HOUR_MS);
  await arrived(sink, email, /Short/, 2);
  await till.api.must('POST', '/payment/resolve', {
    token: shop.secretKey,
    body: { paymentId: decided, action: 'refunded' },
  });
  till.clock.advance(25 * HOUR_MS);
  const [reminder] = await arrived(sink, email, /Reminder/);
  expect(subjectOf(reminder!)).toMatch(/^Test: Reminder: .+ too little was paid for Short-1$/);
  till.clock.advance(49 * HOUR_MS);
  await pay(shop, 'exact', 'Last-1');
  await arrived(sink, email, /Last-1/);
  expect(to(sink, email, /Short/)).toHaveLength(3);
});

it('email notices are sent to confirmed addresses only, and for sandbox payments only if selected', async () => {
  const sink = await startSink();
  const till = await startTill(sink);
  const unverified = await Shop.open(till.api);
  await choose(unverified, { testPayments: true, kinds: { paid: true } });
  const silent = await openShop(sink, till, { paid: true });
  await choose(silent.shop, { testPayments: false });
  for (const shop of [unverified, silent.shop])
    await reach(shop, await pay(shop, 'exact', 'Quiet'), 'completed');
  const { shop, email } = await openShop(sink, till, { paid: true });
  await pay(shop, 'exact', 'Loud');
  await arrived(sink, email, /Loud/);
  expect(sink.mails.filter((mail) => subjectOf(mail).includes('Quiet'))).toEqual([]);
});

it('email notices of reversed payments are always sent, and cannot be unsubscribed', async () => {
  const sink = await startSink();
  const till = await startTill(sink);
  const { shop } = await openShop(sink, till);
  const answer = await till.api.call('PATCH', '/merchant/notices', {
    token: shop.token,
    body: { merchantId: shop.merchantId, kinds: { reversed: false, paid: true } },
  });
  expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ field: 'kinds.reversed' }] } } });
  const { notices } = await choose(shop, {});
  const fixed = notices.kinds.filter((kind) => kind.fixed);
  expect(fixed.map(({ kind, enabled }) => [kind, enabled])).toEqual([
    ['reversed', true],
    ['freeze', true],
    ['approval', true],
    ['forward', true],
  ]);
  const isOn = (kind: string) => notices.kinds.find((each) => each.kind === kind)?.enabled;
  expect([isOn('paid'), isOn('digest'), isOn('month_end')]).toEqual([false, false, false]);
});

it('email notices are dropped with a log line when no mail server is configured', async () => {
  const till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' });
  ends.push(() => till.end());
  await till.ready();
  const shop = await Shop.open(till.api);
  const read = await till.api.must('GET', `/merchant/notices?merchantId=${shop.merchantId}`, {
    token: shop.token,
  });
  expect(read).toMatchObject({ notices: { mailServer: false } });
  await reach(shop, await pay(shop, 'exact', 'Order'), 'completed');
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
  ends.push(async () => db.close());
  const newest = db.prepare('SELECT max(seq) FROM events').pluck();
  await eventually(
    'the event was passed',
    () => Number(db.prepare(`SELECT value FROM meta WHERE key = 'notices.seq'`).pluck().get()),
    (seq) => seq === newest.get(),
  );
  expect(db.prepare('SELECT count(*) FROM notices').pluck().get()).toBe(0);
});

it('email notices of events before a kill -9 are sent after it, and none is queued twice', async () => {
  const sink = await startSink();
  const env = { TILLD_SMTP_URL: sink.url, TILLD_SANDBOX_BLOCK_INTERVAL: '200ms' };
  const till = await TillProcess.start(env);
  ends.push(() => till.end());
  await till.ready();
  const { shop, email } = await openShop(sink, till, { paid: true });
  sink.behaviour = { mute: true };
  for (const order of ['Crash-1', 'Crash-2', 'Crash-3']) {
    await reach(shop, await pay(shop, 'exact', order), 'completed');
    await till.kill9();
    await till.up();
    await till.ready();
  }
  const { port } = sink;
  await sink.stop();
  const again = await startSink(port);
  await arrived(again, email, /Crash-/, 3);
  await till.kill9();
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'));
  ends.push(async () => db.close());
  expect(db.prepare(`SELECT count(*) FROM mails WHERE kind = 'shop-notice'`).pluck().get()).toBe(3);
  expect(
    new Set(to(again, email, /Crash-/).map(({ raw }) => /^Message-ID: (.+)$/m.exec(raw)?.[1])).size,
  ).toBe(3);
});
