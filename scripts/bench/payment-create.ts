import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Shop } from '../../test/_helpers/api-client.ts';
import { alternate, compare } from './harness/alternate.ts';
import { startBareServer } from './harness/bare.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { measureLoad, type LoadRequest } from './harness/load.ts';
import type { Question } from './harness/question.ts';

const CONNECTIONS = 32;

/** Payments created per second, each on disk before the response. */
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
    const load = { connections: CONNECTIONS, durationMs: bench.quick ? 2_000 : 5_000 };
    const rounds = await alternate({
      rounds: bench.quick ? 2 : 5,
      warmUpRequests: 3_000,
      ours: (limits) =>
        measureLoad(bench, daemon, { ...load, ...limits, url: daemon.url, requests: [request] }),
      baseline: (limits) =>
        measureLoad(bench, bare, {
          ...load,
          ...limits,
          url: bare.url,
          requests: [{ ...request, path: '/insert' }],
        }),
    });
    return {
      comparisons: [
        compare(rounds, {
          what: 'requests',
          unit: '1/s',
          figure: (m) => m.perSecond,
          target: { atLeast: 0.45 },
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

/** The bytes of all rows written for one payment. */
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
