import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Shop } from '../../test/_helpers/api-client.ts';
import { alternate, compare } from './harness/alternate.ts';
import { startBareServer } from './harness/bare.ts';
import type { Child } from './harness/child.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { putLoad, type LoadRequest, type LoadResult } from './harness/load.ts';
import type { Bench, Question } from './harness/question.ts';

const CONNECTIONS = 32;

type Measured = LoadResult & { readonly cpuUs: number };

/** How many payments a second can be taken, every one of them on disk before it is answered. */
export const question: Question = {
  asks: 'payment/create per second, 4 coins offered, 32 connections, durable',
  against: 'bare express + better-sqlite3: one durable insert of the same size, the same answer',
  run: async (bench) => {
    const daemon = await startDaemon(bench);
    const shop = await Shop.open(daemon.api);
    const request = createRequest(shop);
    const answer = await shop.api.must<{ id: string }>('POST', '/payment/create', {
      token: shop.publicKey,
      body: JSON.parse(request.body ?? '') as object,
    });
    const storedBytes = sizeOfPayment(daemon, answer.id);
    const bare = await startBareServer(bench, {
      storedBytes,
      answer: { success: true, error: null, data: answer },
    });
    const durationMs = bench.quick ? 2_000 : 5_000;
    const rounds = await alternate({
      rounds: bench.quick ? 2 : 5,
      ours: () => measure(bench, daemon, { url: daemon.url, request, durationMs }),
      baseline: () =>
        measure(bench, bare, { url: bare.url, request: { ...request, path: '/insert' }, durationMs }),
    });
    return {
      comparisons: [
        compare(rounds, {
          what: 'requests',
          unit: '1/s',
          figure: (m) => m.perSecond,
          target: { atLeast: 0.5 },
        }),
        compare(rounds, { what: 'p99', unit: 'ms', figure: (m) => m.p99Ms, target: { atMost: 4 } }),
        compare(rounds, { what: 'median', unit: 'ms', figure: (m) => m.p50Ms, target: null }),
        compare(rounds, {
          what: 'processor time per request',
          unit: 'µs',
          figure: (m) => m.cpuUs,
          target: null,
        }),
      ],
      notes: [`a payment with its addresses, options and event takes ${storedBytes} bytes of rows`],
    };
  },
};

async function measure(
  bench: Bench,
  server: Child,
  { url, request, durationMs }: { url: string; request: LoadRequest; durationMs: number },
): Promise<Measured> {
  const before = server.usage();
  const result = await putLoad(bench, { url, connections: CONNECTIONS, durationMs, requests: [request] });
  return { ...result, cpuUs: ((server.usage().cpuMs - before.cpuMs) * 1000) / result.requests };
}

function createRequest(shop: Shop): LoadRequest {
  return {
    method: 'POST',
    path: '/payment/create',
    headers: { Authorization: `Bearer ${shop.publicKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      amount: '49.90',
      currency: 'USD',
      customerId: shop.customerId,
      orderId: 'order-{{id}}',
      metadata: { tableNumber: 7 },
      successUrl: 'https://shop.example/thanks',
      returnUrl: 'https://shop.example/cart',
    }),
  };
}

/** The bytes of all rows that one payment writes. */
function sizeOfPayment(daemon: Daemon, paymentId: string): number {
  const sqlite = new Database(join(daemon.dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    const rows = [
      'payments WHERE id',
      'payment_options WHERE payment_id',
      'addresses WHERE payment_id',
      'events WHERE payment_id',
    ];
    const texts = rows.flatMap((from) =>
      sqlite
        .prepare(`SELECT * FROM ${from} = ?`)
        .raw()
        .all(paymentId)
        .map((row) => (row as unknown[]).join('')),
    );
    return Buffer.byteLength(texts.join(''));
  } finally {
    sqlite.close();
  }
}
