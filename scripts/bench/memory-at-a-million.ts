import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alternate, compare } from './harness/alternate.ts';
import { startBareServer } from './harness/bare.ts';
import { nextMessage, startNode } from './harness/child.ts';
import { startDaemon } from './harness/daemon.ts';
import { putLoad, type LoadRequest } from './harness/load.ts';
import { manyPayments, type History } from './harness/many-payments.ts';
import type { Bench, Question } from './harness/question.ts';

const MB = 1_000_000;
/** Duration of one load interval; an hour is reported minute by minute. */
const SPELL_MS = minutes() >= 10 ? 60_000 : 20_000;
/** Full Bitcoin blocks arrive ten times as often as on mainnet. */
const BLOCK_MS = 60_000;
const ENDPOINTS = 16;

/** Requests per second in total; by default as fast as the responses arrive. */
const RATE = process.env['BENCH_MEMORY_RATE'];

/**
 * Whether memory and response times stay bounded under all kinds of load at once. BENCH_MEMORY_MINUTES=60 extends the
 * load to an hour, BENCH_MEMORY_RATE=100 limits the requests per second: without a limit every request waits for 15
 * others, and the response time shows how many there were instead of how fast the daemon is.
 */
export const question: Question = {
  asks: 'resident memory with 1 M payments under new payments, their webhooks, reads, lists and full blocks',
  against: 'a bare express + better-sqlite3 process without any work',
  run: async (bench) => {
    const history = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const [node, sink] = ['chain/block-node.ts', 'harness/sink-server.ts'].map((file) =>
      startNode(bench, [fileURLToPath(new URL(file, import.meta.url)), String(ENDPOINTS)], {}),
    ) as [ReturnType<typeof startNode>, ReturnType<typeof startNode>];
    const [{ port }, { ports }] = (await Promise.all([nextMessage(node), nextMessage(sink)])) as [
      { port: number },
      { ports: number[] },
    ];
    const daemon = await startDaemon(bench, {
      dataDir: history.dataDir,
      env: { TILLD_NETWORK: 'regtest', TILLD_BTC_RPC_URL: `http://u:p@127.0.0.1:${port}` },
    });
    const bare = await startBareServer(bench, { storedBytes: 0, answer: {} });
    const requests = loadOf(history, ports);
    const sizeOf = (suffix: string): number =>
      statSync(join(history.dataDir, `tilld.sqlite${suffix}`), { throwIfNoEntry: false })?.size ?? 0;
    const grownFrom = sizeOf('');
    const durationMs = bench.quick ? 5_000 : SPELL_MS;
    const residentSizes: number[] = [];
    const rates: number[] = [];
    const p50s: number[] = [];
    const p99s: number[] = [];
    let reopened = 0;
    const mining = setInterval(() => node.process.send('mine'), BLOCK_MS);
    const rounds = await alternate({
      rounds: roundsOf(bench),
      ours: async () => {
        const load = { url: daemon.url, connections: 16, durationMs, requests, opensAnew: true };
        const pacedLoad = RATE === undefined ? load : { ...load, ratePerSecond: Number(RATE) };
        const { perSecond, closed, p50Ms, p99Ms } = await putLoad(bench, pacedLoad).catch((cause) => {
          throw new Error(`after ${residentSizes.length} spells; output of the daemon: ${daemon.output()}`, {
            cause,
          });
        });
        rates.push(perSecond);
        p50s.push(p50Ms);
        p99s.push(p99Ms);
        reopened += closed;
        const { residentBytes } = daemon.usage();
        residentSizes.push(residentBytes);
        bench.progress(
          `spell ${residentSizes.length}: resident ${mb(residentBytes)}, file ${mb(sizeOf(''))}, log ${mb(sizeOf('-wal'))}, ${Math.round(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
        );
        return residentBytes;
      },
      baseline: async () => Promise.resolve(bare.usage().residentBytes),
    }).finally(() => clearInterval(mining));
    await daemon.stop();
    return {
      comparisons: [
        compare(rounds, {
          what: 'resident',
          unit: 'MB',
          figure: (bytes) => bytes / MB,
          target: { atMost: 3.5 },
        }),
      ],
      notes: [
        `after each ${durationMs / 1000} s of load: ${residentSizes.map((bytes) => Math.round(bytes / MB)).join(', ')} MB`,
        `requests a second: ${rates.map((rate) => Math.round(rate)).join(', ')}; connections opened anew: ${reopened}`,
        `p50 of each, ms: ${p50s.map((ms) => ms.toFixed(1)).join(', ')}`,
        `p99 of each, ms: ${p99s.map((ms) => ms.toFixed(1)).join(', ')}`,
        `the database is ${mb(sizeOf(''))}, ${mb(grownFrom)} before`,
      ],
    };
  },
};

function roundsOf({ quick }: Bench): number {
  return quick ? 2 : Math.round((minutes() * 60_000) / SPELL_MS) - 1;
}

function minutes(): number {
  return Number(process.env['BENCH_MEMORY_MINUTES'] ?? '2');
}

const mb = (bytes: number): string => `${Math.round(bytes / MB)} MB`;

/** The same for every shop: two new payments, one of them with a webhook, and four reads of different kinds. */
function loadOf({ merchants, paymentId }: History, ports: readonly number[]): LoadRequest[] {
  const first = merchants[0]?.secretKey ?? '';
  return merchants.flatMap(({ secretKey }, shop): LoadRequest[] => {
    const headers = { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' };
    const customerId = `cus_${String(shop).padStart(24, '0')}`;
    const order = { amount: '49.90', currency: 'USD', customerId, orderId: 'load-{{id}}' };
    const webhookUrl = `http://127.0.0.1:${ports[shop % ports.length]}/hook`;
    const create = { method: 'POST', path: '/payment/create', headers } as const;
    return [
      { ...create, body: JSON.stringify(order) },
      { method: 'GET', path: '/payment/list?limit=25', headers },
      { ...create, body: JSON.stringify({ ...order, webhookUrl }) },
      { method: 'GET', path: '/payment/list?status=completed&page=20', headers },
      {
        method: 'GET',
        path: `/payment/get?paymentId=${paymentId}`,
        headers: { Authorization: `Bearer ${first}` },
      },
      { method: 'GET', path: '/merchant/events', headers },
    ];
  });
}
