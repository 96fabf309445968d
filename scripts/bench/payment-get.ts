import { Shop } from '../../test/_helpers/api-client.ts';
import { alternate, compare } from './harness/alternate.ts';
import { startBareServer } from './harness/bare.ts';
import { startDaemon } from './harness/daemon.ts';
import { measureLoad } from './harness/load.ts';
import type { Question } from './harness/question.ts';

const CONNECTIONS = 32;

/** Payments read per second with a secret key. */
export const question: Question = {
  asks: 'authenticated read (payment/get) per second, 32 connections',
  against: 'bare express + better-sqlite3: one indexed select, the same answer',
  run: async (bench) => {
    const daemon = await startDaemon(bench);
    const shop = await Shop.open(daemon.api);
    const { id } = await shop.createPayment();
    const headers = { Authorization: `Bearer ${shop.secretKey}` };
    const path = `/payment/get?paymentId=${id}`;
    const answer = { success: true, error: null, data: await shop.payment(id) };
    const bare = await startBareServer(bench, { storedBytes: 0, answer });
    const load = { connections: CONNECTIONS, durationMs: bench.quick ? 2_000 : 5_000 };
    const rounds = await alternate({
      rounds: bench.quick ? 2 : 5,
      warmUpRequests: 3_000,
      ours: (limits) =>
        measureLoad(bench, daemon, {
          ...load,
          ...limits,
          url: daemon.url,
          requests: [{ method: 'GET', path, headers }],
        }),
      baseline: (limits) =>
        measureLoad(bench, bare, {
          ...load,
          ...limits,
          url: bare.url,
          requests: [{ method: 'GET', path: '/row?id=known', headers }],
        }),
    });
    return {
      comparisons: [
        compare(rounds, {
          what: 'requests',
          unit: '1/s',
          figure: (m) => m.perSecond,
          target: { atLeast: 0.6 },
        }),
        compare(rounds, { what: 'p99', unit: 'ms', figure: (m) => m.p99Ms, target: null }),
        compare(rounds, {
          what: 'processor time per request',
          unit: 'µs',
          figure: (m) => m.cpuUs,
          target: null,
        }),
      ],
    };
  },
};
