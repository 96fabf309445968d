import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectSecrets,
  connectUrl,
  shopState,
  Tilld,
  TilldError,
  verifyWebhook,
  type ShopState,
} from '../../../packages/sdk/src/index.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink, type Delivery } from '../../_helpers/webhook-sink.ts';

let daemon: Till;
let sink: WebhookSink;
let owner: Tilld;
let merchantId: string;
const redirectUrl = 'https://shop.example/tilld/connected';

/** An owner with a shop, by nothing but the SDK. */
beforeAll(async () => {
  daemon = await Till.start();
  sink = await WebhookSink.start();
  const { baseUrl } = daemon.api;
  const account = { email: 'owner@example.com', password: 'correct horse battery' };
  const { token } = await new Tilld({ baseUrl }).auth.register(account);
  owner = new Tilld({ baseUrl, key: token });
  const { merchant } = await owner.merchants.create({ name: 'Shop', domain: 'shop.example' });
  merchantId = merchant.id;
});
afterAll(async () => {
  await sink[Symbol.asyncDispose]();
  await daemon.end();
});

/** A plugin and an owner who agrees. */
async function connected(): Promise<Tilld> {
  const { baseUrl } = daemon.api;
  const { codeVerifier, codeChallenge, state } = await connectSecrets();
  const scopes = [
    'payments:write',
    'refunds:write',
    'customers:write',
    'events:read',
    'webhooks:write',
  ] as const;
  const request = { name: 'My shop & more', scopes, redirectUrl, state, codeChallenge };
  const asked = new URL(connectUrl({ baseUrl: `${baseUrl}/`, ...request }));
  expect(asked.pathname).toBe('/connect');
  const shown = Object.fromEntries(asked.searchParams) as Parameters<typeof owner.connect.request>[0];
  expect(await owner.connect.request(shown)).toMatchObject({ name: request.name, scopes });
  const { redirectTo } = await owner.connect.approve({ merchantId, ...shown });
  const back = new URL(redirectTo).searchParams;
  expect(back.get('state')).toBe(state);
  const code = back.get('code') ?? '';
  const { key } = await new Tilld({ baseUrl }).connect.token({ code, codeVerifier });
  const again = new Tilld({ baseUrl }).connect.token({ code, codeVerifier });
  await expect(again).rejects.toMatchObject({ code: 'INVALID_CODE' });
  return new Tilld({ baseUrl, key });
}

/** The states of a payment as its webhooks tell them. */
async function told(paymentId: string, secret: string): Promise<ShopState[]> {
  const states: ShopState[] = [];
  for (const { raw, headers } of sink.of(paymentId)) {
    const event = await verifyWebhook(raw, headers, secret);
    if ('payment' in event.data) states.push(shopState(event.data.payment));
  }
  return states;
}

it('the SDK lets a shop connect, create a payment, receive webhooks, and refund by a refund link', async () => {
  const till = await connected();
  const { id: endpointId, secret } = await till.endpoints.create({ url: sink.url });
  const order = { orderId: 'order-1', amount: '25', currency: 'EUR', customer: { email: 'ada@example.com' } };
  const { id: paymentId } = await till.payments.create(order);
  const changed = await till.payments.update({ paymentId, amount: '20' });
  expect([changed.amount, changed.customerId]).toEqual(['20', expect.stringMatching(/^cus_/)]);
  await till.sandbox.simulate({ paymentId, scenario: 'underpay', coin: 'BTC' });
  await expect.poll(async () => shopState(await till.payments.get({ paymentId }))).toBe('short');
  // Refused: a shop that must not cancel an order hears that money came.
  const refused: unknown = await till.payments.cancel({ paymentId }).catch((error: unknown) => error);
  expect(refused instanceof TilldError && refused.code).toBe('INVALID_STATE');
  await till.sandbox.simulate({ paymentId, scenario: 'exact', coin: 'BTC' });
  await expect.poll(async () => shopState(await till.payments.get({ paymentId }))).toBe('paid');
  await expect.poll(() => sink.types(paymentId).at(-1)).toBe('payment.completed');
  expect(await told(paymentId, secret)).toEqual(
    expect.arrayContaining(['waiting', 'short', 'seen', 'paid'] satisfies ShopState[]),
  );
  const options = { idempotencyKey: 'refund of order-1' };
  const link = await till.refundLinks.create({ paymentId, preset: 'all', coin: 'BTC' }, options);
  expect(link).toMatchObject({ status: 'open', amount: '20', url: expect.stringContaining('/r/') });
  expect((await till.refundLinks.create({ paymentId, preset: 'all', coin: 'BTC' }, options)).id).toBe(
    link.id,
  );
  expect((await till.refundLinks.cancel({ linkId: link.id })).status).toBe('cancelled');
  expect(await till.endpoints.delete({ endpointId })).toEqual({ deleted: true, endpointId });
  // What it was not given.
  const sent = till.wallet.balances();
  await expect(sent).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 });
});

const isTest = ({ body }: Delivery): boolean => body.type === 'webhook.test';

it('SDK webhook verification accepts the old and the new secret during a rotation', async () => {
  const till = await connected();
  const { id: endpointId, secret: before } = await till.endpoints.create({ url: sink.url });
  await till.webhooks.test({ endpointId });
  const first = await sink.waitFor('the test', isTest);
  expect((await verifyWebhook(Buffer.from(first.raw), first.headers, before)).type).toBe('webhook.test');
  const { secret: after } = await till.endpoints.rotateSecret({ endpointId });
  expect((await till.endpoints.secret({ endpointId })).secret).toBe(after);
  sink.deliveries.length = 0;
  await till.webhooks.test({ endpointId });
  const { raw, headers } = await sink.waitFor('the test', isTest);
  for (const secret of [before, after])
    expect((await verifyWebhook(raw, headers, secret)).type).toBe('webhook.test');
  const stranger = `whsec_${randomBytes(32).toString('base64')}`;
  await expect(verifyWebhook(raw, headers, stranger)).rejects.toMatchObject({ reason: 'wrong_secret' });
  await expect(verifyWebhook(first.raw, first.headers, after)).rejects.toMatchObject({
    reason: 'wrong_secret',
  });
});
