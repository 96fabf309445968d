import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { DnsServer } from '../../_helpers/domains/dns-server.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

let dns: DnsServer;
let sink: WebhookSink;
let till: Till;
beforeAll(async () => {
  [dns, sink] = await Promise.all([DnsServer.start(), WebhookSink.start()]);
  till = await Till.start({ TILLD_DNS_SERVERS: dns.address });
});
afterAll(async () => {
  await till.end();
  await Promise.all([dns.close(), sink.close()]);
});

it('a running daemon verifies a domain through the configured name server and sends a signed webhook', async () => {
  const shop = await Shop.open(till.api, { webhookUrl: sink.url });
  const auth = { token: shop.token, body: { merchantId: shop.merchantId } };
  const { verification } = await till.api.must<{ verification: { token: string; instructions: string } }>(
    'POST',
    '/merchant/verify-domain',
    { ...auth, body: { ...auth.body, method: 'dns' } },
  );
  const name = / named (\S+) with the value (\S+)$/.exec(verification.instructions);
  dns.set('TXT', name?.[1] ?? '', [name?.[2] ?? '']);
  const { verification: found } = await till.api.must<{
    verification: { verified: boolean; lastError: string };
  }>('POST', '/merchant/verify-domain/check', auth);
  expect(found).toMatchObject({ verified: true, lastError: null });
  const delivery = await sink.waitFor('the domain', ({ body }) => body.type === 'domain.verified');
  expect(delivery.body.data).toMatchObject({
    domain: { isVerified: true, method: 'dns' },
    merchant: { id: shop.merchantId, name: 'Shop' },
  });
  const { secret } = await till.api.must<{ secret: string }>('GET', '/merchant/webhook/secret', {
    token: shop.secretKey,
  });
  sink.verifyAll(secret);
  const { merchants } = await till.api.must<{ merchants: { isVerified: boolean }[] }>(
    'GET',
    '/merchant/list',
    {
      token: shop.token,
    },
  );
  expect(merchants.map(({ isVerified }) => isVerified)).toEqual([true]);
});

it('a running daemon checks a domain on schedule', async () => {
  const shop = await Shop.open(till.api, { webhookUrl: sink.url });
  const { verification } = await till.api.must<{ verification: { token: string; instructions: string } }>(
    'POST',
    '/merchant/verify-domain',
    { token: shop.token, body: { merchantId: shop.merchantId, method: 'dns' } },
  );
  const name = / named (\S+) with/.exec(verification.instructions)?.[1] ?? '';
  dns.set('TXT', name, [`token=${verification.token}`]);
  till.clock.advance(61_000);
  await sink.waitFor(
    'the domain',
    ({ body }) => body.type === 'domain.verified' && JSON.stringify(body.data).includes(shop.merchantId),
    25_000,
  );
});

it('a running daemon delivers waiting webhooks to the new URL immediately after an edit of webhookUrl', async () => {
  const dead = await WebhookSink.start();
  const shop = await Shop.open(till.api, { webhookUrl: dead.url });
  await dead.close();
  const payment = await shop.createPayment();
  await till.api.must('PATCH', '/merchant/edit', {
    token: shop.token,
    body: { merchantId: shop.merchantId, webhookUrl: `${sink.url}?new` },
  });
  await sink.waitForEvent('payment.created', payment.id);
});
