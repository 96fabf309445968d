import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findDelivery } from '../../../src/store/webhooks/deliveries.ts';
import { listWebhookLogs } from '../../../src/usecases/webhooks/list-webhook-logs.ts';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, type Shop } from '../../_helpers/webhooks/shop.ts';

/** A shop's server down to its connections, which a test can break. */
interface Endpoint {
  readonly url: string;
  readonly sockets: Socket[];
  /** Each request as it came, with the number of its connection. */
  readonly requests: { readonly connection: number; readonly id: string }[];
  /** Takes requests over a connection that was used before, and hangs up instead of answering. */
  hangUpOnReuse: boolean;
  close(): Promise<void>;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok';

async function startEndpoint(): Promise<Endpoint> {
  const server = createServer((socket) => {
    const connection = endpoint.sockets.push(socket) - 1;
    let used = 0;
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const head = received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN);
      if (head < 0 || received.length < head + 4 + length) return;
      endpoint.requests.push({ connection, id: /webhook-id: (\S+)/i.exec(received)?.[1] ?? '' });
      received = '';
      used += 1;
      if (used > 1 && endpoint.hangUpOnReuse) socket.destroy();
      else socket.write(OK);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${address.port}/hook`,
    sockets: [],
    requests: [],
    hangUpOnReuse: false,
    close: async () => {
      for (const socket of endpoint.sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return endpoint;
}

let shop: Shop;
let endpoint: Endpoint;
beforeEach(async () => {
  shop = await openShop();
  endpoint = await startEndpoint();
});
afterEach(async () => {
  await shop.close();
  await endpoint.close();
});

async function delivered(deliveryId: string | null): Promise<void> {
  await eventually(
    async () => (await findDelivery(shop.db, deliveryId ?? ''))?.status === 'delivered',
    'the delivery',
  );
}

it('a webhook delivery reuses the connection of the last delivery to the endpoint', async () => {
  const payment = await shop.payment(await shop.merchant(endpoint.url));
  for (let n = 0; n < 3; n += 1) await payment.emit();
  const last = await payment.emit();
  await shop.queue().start();
  await delivered(last.deliveryId);
  expect(endpoint.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0]);
});

it('a webhook delivery is repeated immediately, with the same id and as one attempt, when the kept connection breaks', async () => {
  endpoint.hangUpOnReuse = true;
  const merchant = await shop.merchant(endpoint.url);
  const payment = await shop.payment(merchant);
  const first = await payment.emit();
  const second = await payment.emit();
  await shop.queue().start();
  await delivered(second.deliveryId);
  // The second was lost with the first connection and went over one of its own.
  expect(endpoint.requests).toEqual([
    { connection: 0, id: first.eventId },
    { connection: 0, id: second.eventId },
    { connection: 1, id: second.eventId },
  ]);
  const { logs, total } = await listWebhookLogs(shop, { merchantId: merchant.id, page: 1, limit: 10 });
  expect(total).toBe(2);
  expect(logs.map(({ status, attempt }) => [status, attempt])).toEqual([
    [200, 1],
    [200, 1],
  ]);
});
