/** Each kind of notice from what happens to the mail that arrives, by SMTP. */
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { arrived, choose, openShop, pay, to } from '../../_helpers/notice-mails.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink, subjectOf } from '../../_helpers/smtp-sink.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { claimLink, type RefundLinkJson } from '../refunds/refund-client.ts';

const HOUR_MS = 3_600_000;
const STRANGER = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const OPERATOR = 'operator@example.com';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(env: Record<string, string> = {}): Promise<{ sink: SmtpSink; till: Till }> {
  const sink = await SmtpSink.start();
  ends.push(() => sink.stop().catch(() => undefined));
  const till = await Till.start({
    TILLD_SMTP_URL: sink.url,
    TILLD_BASE_URL: 'https://pay.example.com',
    TILLD_SANDBOX_BLOCK_INTERVAL: '200ms',
    ...env,
  });
  ends.push(() => till.end());
  return { sink, till };
}

/** Conditions are looked at when the daemon starts, and every half minute. */
async function lookAgain(till: Till): Promise<void> {
  await till.down();
  await till.up();
}

it('late money and a reversed payment cause a notice by email', async () => {
  const { sink, till } = await start();
  await till.ready();
  const { shop, email } = await openShop(sink, till, { paid: true });
  await till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, latePayments: 'review' },
  });
  const late = await pay(shop, 'late', 'Late-1');
  const [mail] = await arrived(sink, email, /Late-1/);
  expect(subjectOf(mail!)).toBe('Test: Shop: money for Late-1 came late');
  expect(readable(mail!.raw)).toContain(`/dashboard/shop/${shop.merchantId}/payments/${late}`);
  const back = await pay(shop, 'exact', 'Back-1');
  await arrived(sink, email, /Back-1 was paid/);
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: back, scenario: 'reorg', coin: 'BTC' },
  });
  const [taken] = await arrived(sink, email, /taken back/);
  expect(subjectOf(taken!)).toBe('Test: Shop: the payment of Back-1 was taken back');
  // It cannot be switched off.
  expect(taken!.raw).not.toContain('List-Unsubscribe');
});

it('a refund that waits for approval causes a notice by email', async () => {
  const { sink, till } = await start();
  await till.ready();
  const { shop, email } = await openShop(sink, till, { paid: true });
  const paymentId = await pay(shop, 'exact', 'Claim-1');
  await arrived(sink, email, /Claim-1 was paid/);
  const { url } = await till.api.must<RefundLinkJson>('POST', '/payment/refund-link', {
    token: shop.secretKey,
    body: { paymentId, preset: 'all', approval: true },
  });
  await claimLink(till.api, url, { coin: 'BTC', destination: STRANGER });
  const [mail] = await arrived(sink, email, /waits for your approval/);
  expect(subjectOf(mail!)).toBe('Test: Shop: a refund of Claim-1 waits for your approval');
});

it('a failing webhook endpoint causes a notice by email and a reminder each day', async () => {
  const { sink, till } = await start({ TILLD_WEBHOOK_RETRY_GAPS: '10ms,20ms,1h,24h,24h' });
  await till.ready();
  await using hooks = await WebhookSink.start();
  hooks.answer = 500;
  const { shop, email } = await openShop(sink, till);
  await choose(shop, { language: 'de' });
  await till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, webhookUrl: hooks.url },
  });
  await shop.createPayment();
  await eventually(
    'it was tried three times',
    () => hooks.deliveries.length,
    (count) => count >= 3,
  );
  await lookAgain(till);
  expect(to(sink, email, /webhook/i)).toEqual([]);
  till.clock.advance(HOUR_MS + 60_000);
  await lookAgain(till);
  const [failing] = await arrived(sink, email, /webhook/i);
  expect(readable(failing!.raw)).toContain(new URL(hooks.url).host);
  till.clock.advance(24 * HOUR_MS);
  await lookAgain(till);
  const [, reminder] = await arrived(sink, email, /webhook/i, 2);
  expect(subjectOf(reminder!)).toMatch(/^Erinnerung: /);
});

it('a webhook endpoint that answers 410 causes a notice by email', async () => {
  const { sink, till } = await start();
  await till.ready();
  await using hooks = await WebhookSink.start();
  hooks.answer = 410;
  const { shop, email } = await openShop(sink, till);
  await till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, webhookUrl: hooks.url },
  });
  await shop.createPayment();
  await eventually(
    'it was tried',
    () => hooks.deliveries.length,
    (count) => count > 0,
  );
  await lookAgain(till);
  const [mail] = await arrived(sink, email, /a webhook endpoint was switched off/);
  expect(readable(mail!.raw)).toContain(`/dashboard/shop/${shop.merchantId}/webhooks`);
});

it('a failing node and a missing backup cause notices by email to the operator, with reminders', async () => {
  const { sink, till } = await start({
    ...liveEnv({ BTC: `http://127.0.0.1:${await freePort()}/` }),
    TILLD_OPERATOR_EMAIL: OPERATOR,
    TILLD_BACKUP_SCHEDULE: '30 3 1 1 *',
    TILLD_BACKUP_MAX_AGE: '1h',
  });
  till.clock.advance(11 * 60_000);
  await lookAgain(till);
  const [down] = await arrived(sink, OPERATOR, /the node cannot be used/);
  expect(subjectOf(down!)).toBe('BTC at pay.example.com: the node cannot be used');
  till.clock.advance(24 * HOUR_MS);
  await lookAgain(till);
  const [, reminder] = await arrived(sink, OPERATOR, /the node cannot be used/, 2);
  expect(subjectOf(reminder!)).toBe('Reminder: BTC at pay.example.com: the node cannot be used');
  await arrived(sink, OPERATOR, /the newest backup is too old/);
});
