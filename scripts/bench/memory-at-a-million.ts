import { startBareServer } from './harness/bare.ts';
import type { Child } from './harness/child.ts';
import { startDaemon } from './harness/daemon.ts';
import { putLoad, type LoadRequest } from './harness/load.ts';
import { manyPayments } from './harness/many-payments.ts';
import { alternate, compare } from './harness/alternate.ts';
import type { Question } from './harness/question.ts';

const MB = 1_000_000;
const HOUR_MINUTES = 60;

/** Whether the daemon stays small: what it holds after load, and by how much it still grows. */
export const question: Question = {
  asks: 'resident memory with 1 M payments under reads, lists and new payments',
  against: 'a bare express + better-sqlite3 process without any work',
  run: async (bench) => {
    const history = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const daemon = await startDaemon(bench, { dataDir: history.dataDir });
    const bare = await startBareServer(bench, { storedBytes: 0, answer: {} });
    const requests = history.merchants.flatMap(({ secretKey }, shop): LoadRequest[] => {
      const headers = { Authorization: `Bearer ${secretKey}`, 'Content-Type': 'application/json' };
      const customerId = `cus_${String(shop).padStart(24, '0')}`;
      const order = { amount: '49.90', currency: 'USD', customerId, orderId: 'load-{{id}}' };
      return [
        { method: 'POST', path: '/payment/create', headers, body: JSON.stringify(order) },
        { method: 'GET', path: '/payment/list?limit=25', headers },
        { method: 'GET', path: '/payment/list?status=completed&page=20', headers },
        { method: 'GET', path: '/merchant/events', headers },
      ];
    });
    const durationMs = bench.quick ? 5_000 : 20_000;
    const held: number[] = [];
    const rounds = await alternate({
      rounds: bench.quick ? 2 : 5,
      ours: async () => {
        await putLoad(bench, { url: daemon.url, connections: 16, durationMs, requests });
        held.push(daemon.usage().residentBytes);
        return daemon.usage().residentBytes;
      },
      baseline: async () => residentOf(bare),
    });
    await daemon.stop();
    const last = held.at(-1) ?? 0;
    const growth = (last - (held[1] ?? last)) / ((held.length - 2) * (durationMs / 60_000));
    return {
      comparisons: [
        compare(rounds, {
          what: 'resident',
          unit: 'MB',
          figure: (bytes) => bytes / MB,
          target: { atMost: 3 },
        }),
      ],
      notes: [
        `after each spell of load: ${held.map((bytes) => Math.round(bytes / MB)).join(', ')} MB`,
        `growth after the first two spells: ${(growth / MB).toFixed(2)} MB a minute of load; if it went on in a straight line, ${Math.round((last + growth * HOUR_MINUTES) / MB)} MB after an hour`,
      ],
    };
  },
};

function residentOf(child: Child): number {
  return child.usage().residentBytes;
}
