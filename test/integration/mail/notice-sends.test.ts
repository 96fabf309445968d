/** Mails about sends and refunds of live money that fail or hang, by SMTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressScript } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { toAtoms } from '../../_helpers/nodes/index.ts';
import { arrived, to } from '../../_helpers/notice-mails.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink, tokenIn, subjectOf } from '../../_helpers/smtp-sink.ts';
import { TillBesideNodes } from '../../_helpers/daemon-with-nodes.ts';

const HOUR_MS = 3_600_000;
const STRANGER = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

let sink: SmtpSink;
let world: TillBesideNodes;
let email: string;

beforeAll(async () => {
  sink = await SmtpSink.start();
  world = await TillBesideNodes.start({
    TILLD_SMTP_URL: sink.url,
    TILLD_BASE_URL: 'https://pay.example.com',
  });
  await world.switchTo('live');
  const { api } = world.till;
  ({ email } = (
    await api.must<{ user: { email: string } }>('GET', '/auth/me', { token: world.shop.token })
  ).user);
  const [mail] = await arrived(sink, email, /Confirm your email/);
  await api.must('POST', '/auth/verify-email', {
    token: world.shop.token,
    body: { token: tokenIn(readable(mail!.raw)) },
  });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await sink?.stop();
});

/** A live payment that Bitcoin completed; its money can be sent. */
async function paid(orderId: string): Promise<string> {
  const { id, options } = await world.shop.createPayment({ orderId, allowedCryptos: ['BTC'] });
  const { address, amount } = options.BTC;
  world.node.pay(addressScript(UTXO_COINS.BTC, 'regtest', address), toAtoms(amount));
  world.node.mine(6);
  await eventually(
    'paid',
    async () => world.shop.payment(id),
    ({ status }) => status === 'completed',
  );
  return id;
}

async function send(): Promise<string> {
  const { body } = await world.shop.send(
    { coin: 'BTC', amount: '0.0005', destination: STRANGER },
    { 'idempotency-key': `send-${world.node.received.length}` },
  );
  expect(body.error).toBeNull();
  return body.data.id;
}

it('a send whose inputs another mined transaction spent causes a notice by email', async () => {
  await paid('Coins-1');
  await send();
  world.node.displaceLast();
  const [mail] = await arrived(sink, email, /a transfer of BTC failed/);
  expect(readable(mail!.raw)).toContain(`/dashboard/shop/${world.shop.merchantId}/wallet`);
});

it('a refund whose inputs another mined transaction spent causes a notice by email', async () => {
  const paymentId = await paid('Back-1');
  await world.till.api.must('POST', '/payment/refund', {
    token: world.shop.secretKey,
    body: { paymentId, destination: STRANGER },
  });
  await eventually(
    'it is refunded',
    async () => world.shop.payment(paymentId),
    ({ status }) => status === 'refunded',
  );
  world.node.displaceLast();
  const [mail] = await arrived(sink, email, /a refund of Back-1 failed/);
  expect(subjectOf(mail!)).toBe('Shop: a refund of Back-1 failed');
  expect(readable(mail!.raw)).toContain(
    `https://pay.example.com/dashboard/shop/${world.shop.merchantId}/payments/${paymentId}`,
  );
});

it('a send that is unconfirmed for six hours causes a notice by email, and a reminder on the next day', async () => {
  await paid('Coins-2');
  await send();
  world.till.clock.advance(5 * HOUR_MS);
  await lookAgain();
  expect(to(sink, email, /not confirmed/)).toEqual([]);
  world.till.clock.advance(2 * HOUR_MS);
  await lookAgain();
  const [mail] = await arrived(sink, email, /a transfer of BTC is not confirmed/);
  expect(readable(mail!.raw)).toContain(`/dashboard/shop/${world.shop.merchantId}/wallet`);
  world.till.clock.advance(24 * HOUR_MS);
  await lookAgain();
  const [, reminder] = await arrived(sink, email, /a transfer of BTC is not confirmed/, 2);
  expect(subjectOf(reminder!)).toMatch(/^Reminder: /);
});

/** Conditions are looked at when the daemon starts, and every half minute. */
async function lookAgain(): Promise<void> {
  await world.till.down();
  await world.till.up();
}
