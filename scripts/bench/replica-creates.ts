import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Shop } from '../../test/_helpers/api-client.ts';
import { alternate, compare } from './harness/alternate.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { putLoad, type LoadResult } from './harness/load.ts';
import { startReplicating } from './harness/replica.ts';
import type { Bench, Question } from './harness/question.ts';

const CONNECTIONS = 16;
const SPELL_MS = 20_000;

interface Measured extends LoadResult {
  /** Longest delay of the daemon's event loop, ms. */
  readonly stillMs: number;
  readonly logBytes: number;
}

/** The cost of Litestream for the daemon. */
export const question: Question = {
  asks: 'payment/create per second with a replica in a folder, 16 connections',
  against: 'the same without a replica',
  run: async (bench) => {
    const env = { TILLD_REPLICA_URL: bench.newDir() };
    const replicated = await startDaemon(bench, { env });
    const alone = await startDaemon(bench);
    const shops = [await Shop.open(replicated.api), await Shop.open(alone.api)] as const;
    await startReplicating(bench, replicated, env);
    const rounds = await alternate({
      rounds: bench.quick ? 1 : 5,
      ours: async () => measure(bench, replicated, shops[0]),
      baseline: async () => measure(bench, alone, shops[1]),
    });
    const atMost = (figure: (measured: Measured) => number): string =>
      `${Math.max(...rounds.ours.map(figure)).toFixed(0)} with and ${Math.max(...rounds.baseline.map(figure)).toFixed(0)} without`;
    return {
      comparisons: [
        compare(rounds, {
          what: 'payments',
          unit: '1/s',
          figure: (m) => m.perSecond,
          target: { atLeast: 0.7 },
        }),
        compare(rounds, { what: 'p99', unit: 'ms', figure: (m) => m.p99Ms, target: { atMost: 2 } }),
      ],
      notes: [
        `the event loop stood still for at most, ms: ${atMost(({ stillMs }) => stillMs)}`,
        `the write-ahead log was at most, MB: ${atMost(({ logBytes }) => logBytes / 1e6)}`,
      ],
    };
  },
};

async function measure(bench: Bench, daemon: Daemon, shop: Shop): Promise<Measured> {
  const headers = { Authorization: `Bearer ${shop.publicKey}`, 'Content-Type': 'application/json' };
  const order = { amount: '49.90', currency: 'USD', customerId: shop.customerId, orderId: 'order-{{id}}' };
  const request = { method: 'POST', path: '/payment/create', headers, body: JSON.stringify(order) } as const;
  // Reading the metrics resets this figure.
  await stillMs(daemon);
  const load = { connections: CONNECTIONS, durationMs: bench.quick ? 2_000 : SPELL_MS, requests: [request] };
  const result = await putLoad(bench, { ...load, url: daemon.url });
  const logBytes = statSync(join(daemon.dataDir, 'tilld.sqlite-wal')).size;
  return { ...result, stillMs: await stillMs(daemon), logBytes };
}

async function stillMs({ url }: Daemon): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
}
