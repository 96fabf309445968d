/** No webhook calls a name that DNS resolves into the operator's own network, regardless of who chose it and when. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listWebhookLogs } from '../../../src/usecases/webhooks/list-webhook-logs.ts';
import { createEndpoint } from '../../../src/usecases/webhooks/webhook-endpoints.ts';
import { WebhookQueue } from '../../../src/workers/webhook-delivery/queue.ts';
import {
  LIMITS,
  openShop,
  secretBox,
  silent,
  type Merchant,
  type Shop,
} from '../../_helpers/webhooks/shop.ts';
import { startSink, status, type Sink } from '../../_helpers/webhooks/sink.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

let shop: Shop;
let inside: Server;
let calls: number;
/** What DNS answers next for a name. */
let addresses: (name: string) => readonly string[];
let queue: WebhookQueue;

function queueWith(allowPrivate: boolean): WebhookQueue {
  const egress = { allowPrivate, resolve: async (name: string) => addresses(name) };
  const { db, clock } = shop;
  return new WebhookQueue({
    db,
    clock,
    logger: silent,
    secretBox,
    egress,
    limits: LIMITS,
    random: () => 0.5,
  });
}

beforeEach(async () => {
  shop = await openShop();
  calls = 0;
  inside = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => inside.listen(0, '::', resolve));
  queue = queueWith(false);
});
afterEach(async () => {
  await queue.stop({ deadlineMs: 0 });
  await shop.close();
  await new Promise((resolve) => inside.close(resolve));
});

function urlOf(name: string): string {
  return `https://${name}:${(inside.address() as AddressInfo).port}/hook`;
}

async function addEndpoint({ id: merchantId }: Merchant, url: string): Promise<void> {
  const { db, clock } = shop;
  const deps = { db, clock, secretBox, webhookUrlRule: () => null, wakeWebhooks: () => undefined };
  await createEndpoint(deps, { merchantId, creator: SECRET_KEY, url, events: null, active: true });
}

async function errors(merchant: Merchant): Promise<string[]> {
  const { logs } = await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 100 });
  return logs.map(({ endpoint, error }) => `${new URL(endpoint).hostname}: ${error}`).toSorted();
}

it.each([
  [['127.0.0.1']],
  [['93.184.215.14', '10.0.0.1']],
  [['169.254.169.254']],
  [['::1']],
  [['::ffff:127.0.0.1']],
  [['::ffff:7f00:1']],
  [['64:ff9b::7f00:1']],
  [['fd00::1', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
])(
  'a webhook never calls a private address by DNS rebinding of the URL of a shop, a payment or an endpoint: %s',
  async (answer) => {
    addresses = () => answer;
    const merchant = await shop.merchant(urlOf('shop.example'));
    await addEndpoint(merchant, urlOf('endpoint.example'));
    await (await shop.payment(merchant)).emit();
    await (await shop.payment(merchant, urlOf('payment.example'))).emit();
    queue.wake();
    await queue.idle();
    const told = await errors(merchant);
    expect(new Set(told)).toEqual(
      new Set(
        ['shop', 'endpoint', 'payment'].map(
          (name) => `${name}.example: refused: ${name}.example is not a public address`,
        ),
      ),
    );
    // Nor does the log become a way to ask the inner name server.
    for (const address of answer) expect(told.join()).not.toContain(address);
    expect(calls).toBe(0);
  },
);

it.each([301, 302, 303, 307, 308])(
  'a webhook never calls a private address after a redirect with %i',
  async (code) => {
    await queue.stop({ deadlineMs: 0 });
    queue = queueWith(true);
    const outside: Sink = await startSink();
    try {
      const { port } = inside.address() as AddressInfo;
      outside.answer(status(code, { location: `http://127.0.0.1:${port}/` }));
      const merchant = await shop.merchant(outside.url);
      await (await shop.payment(merchant)).emit();
      queue.wake();
      await queue.idle();
      expect(outside.received).toHaveLength(1);
      expect(calls).toBe(0);
      const { logs } = await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 10 });
      expect(logs).toMatchObject([{ status: code, state: 'pending' }]);
    } finally {
      await outside.close();
    }
  },
);
