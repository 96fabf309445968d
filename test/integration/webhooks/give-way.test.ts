import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sql } from 'kysely';
import { eventually } from '../../_helpers/webhooks/eventually.ts';
import { openShop, type Shop } from '../../_helpers/webhooks/shop.ts';

const EVENTS = 40;

let shop: Shop;
let server: Server;
let bodies: { readonly id: string; readonly sequence: number; readonly data: { payment: { id: string } } }[];
let held: Promise<void>;
beforeEach(async () => {
  held = Promise.resolve();
  shop = await openShop();
  bodies = [];
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof bodies)[number]);
      void held.then(() => res.end('ok'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await shop.close();
  server.closeAllConnections();
  server.close();
});

/** Events of four payments, in turn; answers how often the database was written while they go out. */
async function drain(whileGoing: (queue: ReturnType<Shop['queue']>) => void): Promise<number[]> {
  const { port } = server.address() as AddressInfo;
  const merchant = await shop.merchant(`http://127.0.0.1:${port}/`);
  const payments = await Promise.all([0, 1, 2, 3].map(async () => shop.payment(merchant)));
  for (let n = 0; n < EVENTS; n += 1) await payments[n % 4]?.emit();
  const queue = shop.queue({ concurrency: 64, perEndpoint: 64 });
  whileGoing(queue);
  const asking = setInterval(() => whileGoing(queue), 5);
  await queue.start();
  await eventually(async () => {
    const left = await shop.db
      .selectFrom('deliveries')
      .select('id')
      .where('status', '=', 'pending')
      .execute();
    return left.length === 0;
  }, 'all deliveries');
  clearInterval(asking);
  const logs = await shop.db.selectFrom('webhook_logs').select(['status']).execute();
  return logs.map(({ status }) => status);
}

it('delivers everything once and in order while somebody asks the API without pause', async () => {
  expect(await drain((queue) => queue.giveWay())).toEqual(Array.from({ length: EVENTS }, () => 200));
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(EVENTS);
  const byPayment = Map.groupBy(bodies, ({ data }) => data.payment.id);
  expect(byPayment.size).toBe(4);
  for (const of of byPayment.values()) {
    expect(of.map(({ sequence }) => sequence)).toEqual(Array.from({ length: EVENTS / 4 }, (_, n) => n + 1));
  }
});

it.each([
  ['all at once while nobody asks the API', false, 1],
  ['in small pieces while somebody asks the API', true, 2],
])('leases what is due %s', async (_how, isAsked, leastPieces) => {
  const { port } = server.address() as AddressInfo;
  const merchant = await shop.merchant(`http://127.0.0.1:${port}/`);
  for (let n = 0; n < EVENTS; n += 1) await (await shop.payment(merchant)).emit();
  const answers = Promise.withResolvers<void>();
  held = answers.promise;
  const queue = shop.queue({ concurrency: 64, perEndpoint: 64 });
  const ask = () => {
    if (isAsked) queue.giveWay();
  };
  ask();
  const asking = setInterval(ask, 5);
  await queue.start();
  const pieces = async () =>
    shop.db
      .selectFrom('deliveries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('lease_token', 'is not', null)
      .groupBy('lease_token')
      .execute();
  await eventually(
    async () => (await pieces()).reduce((sum, { count }) => sum + count, 0) === EVENTS,
    'all leases',
  );
  const sizes = (await pieces()).map(({ count }) => count);
  clearInterval(asking);
  answers.resolve();
  expect(sizes.length).toBeGreaterThanOrEqual(leastPieces);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(isAsked ? 32 : EVENTS);
  if (!isAsked) expect(sizes).toEqual([EVENTS]);
});

it('begins no more beside requests than are recorded soon, however fast the endpoints answer', async () => {
  const events = 1_500;
  const { port } = server.address() as AddressInfo;
  const merchant = await shop.merchant(`http://127.0.0.1:${port}/`);
  await sql`pragma synchronous = off`.execute(shop.db);
  for (let n = 0; n < events; n += 1) await (await shop.payment(merchant)).emit();
  await sql`pragma synchronous = full`.execute(shop.db);
  const file = new Database(shop.path, { readonly: true });
  const recorded = file.prepare('SELECT count(*) FROM webhook_logs').pluck();
  let most = 0;
  server.on('request', () => {
    most = Math.max(most, bodies.length + 1 - Number(recorded.get()));
  });
  const queue = shop.queue({ concurrency: 64, perEndpoint: 64 });
  queue.giveWay();
  const asking = setInterval(() => queue.giveWay(), 5);
  await queue.start();
  await eventually(() => Number(recorded.get()) === events, 'all records');
  clearInterval(asking);
  file.close();
  // Two pieces that wait, one that is written and one that was just sent; of 8, but up to 28 where the disk is slow.
  expect(most).toBeLessThanOrEqual(112);
});
