import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import { Agent } from 'undici';
import type { Logger } from '../../src/domain/ports.ts';
import { openLogOutput } from '../../src/app/log-output.ts';
import { createLogger } from '../../src/app/logger.ts';
import { openShop, realClock, type Merchant, type Shop } from '../../test/_helpers/webhooks/shop.ts';
import { alternate, compare } from './harness/alternate.ts';
import { nextMessage, startNode } from './harness/child.ts';
import { costOf, type Cost } from './harness/cost.ts';
import type { Bench, Question } from './harness/question.ts';

const ENDPOINTS = 64;
/** The daemon's default. */
const CONCURRENCY = 64;
const LOOK_MS = 10;
/** The payload of a payment event, about two kilobytes. */
const PAYMENT = { text: 'x'.repeat(1_900) };

/** How fast a backlog of webhooks drains: with address checks, signed, every attempt logged on disk. */
export const question: Question = {
  asks: `webhook deliveries per second to ${ENDPOINTS} fast local endpoints, ${CONCURRENCY} at once, signed and logged durably`,
  against:
    'bare undici POSTs of the same body to the same endpoints, as many at once, over keep-alive connections',
  run: async (bench) => {
    const urls = await startSinks(bench);
    const shop = await openShop({ clock: realClock });
    bench.onEnd(async () => shop.close());
    const nowhere = openSync('/dev/null', 'w');
    bench.onEnd(() => closeSync(nowhere));
    const logger = createLogger('info', openLogOutput(nowhere));
    const merchants: Merchant[] = [];
    for (const url of urls) merchants.push(await shop.merchant(url));
    const count = bench.quick ? 1_000 : 4_000;
    let body = '';
    const rounds = await alternate({
      rounds: bench.quick ? 3 : 7,
      ours: async () => {
        await emit(shop, merchants, count);
        const sample = await shop.db
          .selectFrom('events')
          .select('bodyJson')
          .limit(1)
          .executeTakeFirstOrThrow();
        body = sample.bodyJson ?? '';
        return rateOf(count, await costOf(async () => drain(shop, logger)));
      },
      baseline: async () => rateOf(count, await costOf(async () => postAll(urls, body, count))),
    });
    return {
      comparisons: [
        compare(rounds, {
          what: 'deliveries',
          unit: '1/s',
          figure: ({ perSecond }) => perSecond,
          target: { atLeast: 0.35 },
        }),
        compare(rounds, {
          what: 'processor time of a delivery',
          unit: 'µs',
          figure: ({ cpuUs }) => cpuUs,
          target: null,
        }),
      ],
      notes: [`${count} events of ${Buffer.byteLength(body)} bytes wait when each round starts`],
    };
  },
};

function rateOf(
  count: number,
  { cost, value: seconds }: { readonly cost: Cost; readonly value: number },
): { readonly perSecond: number; readonly cpuUs: number } {
  return { perSecond: count / seconds, cpuUs: (cost.cpuMs * 1000) / count };
}

async function startSinks(bench: Bench): Promise<string[]> {
  const script = fileURLToPath(new URL('harness/sink-server.ts', import.meta.url));
  const child = startNode(bench, [script, String(ENDPOINTS)], {});
  const { ports } = (await nextMessage(child)) as { ports: readonly number[] };
  return ports.map((port) => `http://127.0.0.1:${port}/hook`);
}

/** Inserts the deliveries without a flush for each, then flushes once. */
async function emit(shop: Shop, merchants: readonly Merchant[], count: number): Promise<void> {
  await sql`pragma synchronous = off`.execute(shop.db);
  for (let at = 0; at < count; at += 1) {
    const merchant = merchants[at % merchants.length];
    if (merchant === undefined) throw new Error('no merchant');
    await (await shop.payment(merchant)).emit('payment.completed', PAYMENT);
  }
  await sql`pragma synchronous = full`.execute(shop.db);
  await sql`pragma wal_checkpoint(truncate)`.execute(shop.db);
}

/** Seconds from the start of a queue to the last delivery on disk. */
async function drain(shop: Shop, logger: Logger): Promise<number> {
  const queue = shop.queue({ concurrency: CONCURRENCY }, logger);
  const started = performance.now();
  await queue.start();
  await untilNoneIsPending(shop);
  const seconds = (performance.now() - started) / 1000;
  await queue.stop({ deadlineMs: 5_000 });
  const logs = await shop.db
    .selectFrom('webhook_logs')
    .select((eb) => eb.fn.countAll<number>().as('failed'))
    .where('status', '<>', 200)
    .executeTakeFirstOrThrow();
  if (logs.failed > 0) throw new Error(`${logs.failed} deliveries failed`);
  return seconds;
}

/** Counts without the measured process, because it is busy. */
async function untilNoneIsPending(shop: Shop): Promise<void> {
  const sqlite = new Database(shop.path, { readonly: true });
  const next = sqlite.prepare("SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT 1");
  for (let waitedMs = 0; next.get() !== undefined; waitedMs += LOOK_MS) {
    if (waitedMs > 120_000) throw new Error('the webhook queue did not drain');
    await sleep(LOOK_MS);
  }
  sqlite.close();
}

async function postAll(urls: readonly string[], body: string, count: number): Promise<number> {
  const agent = new Agent({ connections: 4, pipelining: 1 });
  const limit = pLimit(CONCURRENCY);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: count }, async (_, at) =>
      limit(async () => {
        const url = new URL(urls[at % urls.length] ?? '');
        const headers = { 'content-type': 'application/json' };
        const answer = await agent.request({
          origin: url.origin,
          path: url.pathname,
          method: 'POST',
          headers,
          body,
        });
        await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
      }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  await agent.close();
  return seconds;
}
