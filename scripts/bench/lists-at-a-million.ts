import { alternate, compare } from './harness/alternate.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { putLoad } from './harness/load.ts';
import { manyPayments, type History } from './harness/many-payments.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

interface Shown {
  readonly what: string;
  readonly path: (history: History) => string;
  /** How many times the time with 1,000 payments it may take. */
  readonly atMost: number;
  /** What it is compared with at 1,000 payments; itself unless told. */
  readonly smallPath?: string;
}

const DAY_MS = 24 * 3600 * 1000;
const iso = (ms: number): string => encodeURIComponent(new Date(ms).toISOString());

/** Gets and lists that a shop and its dashboard make. */
const SHOWN: readonly Shown[] = [
  { what: 'first page', path: () => '/payment/list', atMost: 2 },
  { what: 'by status', path: () => '/payment/list?status=completed', atMost: 2 },
  { what: 'by coin', path: () => '/payment/list?coin=SOL', atMost: 2 },
  { what: 'by status and coin', path: () => '/payment/list?status=expired&coin=BTC', atMost: 2 },
  { what: 'by customer', path: () => `/payment/list?customerId=cus_${'0'.repeat(24)}`, atMost: 2 },
  { what: 'by order id', path: () => '/payment/list?orderId=order-0', atMost: 2 },
  {
    what: 'of half a year',
    path: () => `/payment/list?startDate=${iso(Date.now() - 180 * DAY_MS)}`,
    atMost: 2,
  },
  { what: 'page 1,000', path: () => '/payment/list?page=1000', smallPath: '/payment/list', atMost: 10 },
  { what: 'events', path: () => '/merchant/events', atMost: 2 },
  { what: 'webhook logs', path: () => '/merchant/webhook-logs', atMost: 2 },
  { what: 'customers', path: () => '/merchant/customer/list', atMost: 2 },
  { what: 'wallet transactions', path: () => '/merchant/wallet/transactions', atMost: 2 },
  { what: 'balances', path: () => '/merchant/wallet/balances', atMost: 2 },
  { what: 'one payment', path: ({ paymentId }) => `/payment/get?paymentId=${paymentId}`, atMost: 2 },
];

/** Whether a long history slows down what shops look at. */
export const question: Question = {
  asks: 'gets and lists with exact totals, 1 M payments over 100 merchants',
  against: 'the same with 1,000 payments over 100 merchants (page 1,000: with its first page)',
  run: async (bench) => {
    const many = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const few = await manyPayments(bench, 1_000);
    const large = await startDaemon(bench, { dataDir: many.dataDir });
    const small = await startDaemon(bench, { dataDir: few.dataDir });
    const comparisons: Comparison[] = [];
    for (const shown of SHOWN) {
      const path = shown.path(many);
      const smallPath = shown.smallPath ?? shown.path(few);
      const rounds = await alternate({
        rounds: bench.quick ? 3 : 5,
        ours: () => time(bench, large, many, path),
        baseline: () => time(bench, small, few, smallPath),
      });
      comparisons.push(
        compare(rounds, {
          what: shown.what,
          unit: 'ms',
          figure: (ms) => ms,
          target: { atMost: shown.atMost },
        }),
      );
    }
    await large.stop();
    await small.stop();
    return { comparisons, notes: [`median time of one request at a time, ${many.payments} payments`] };
  },
};

async function time(bench: Bench, daemon: Daemon, history: History, path: string): Promise<number> {
  const requests = history.merchants.map(({ secretKey }) => ({
    method: 'GET' as const,
    path,
    headers: { Authorization: `Bearer ${secretKey}` },
  }));
  // The order and the payment belong to the first merchant.
  const own = /paymentId=|orderId=/.test(path) ? requests.slice(0, 1) : requests;
  const { p50Ms } = await putLoad(bench, { url: daemon.url, connections: 1, durationMs: 500, requests: own });
  return p50Ms;
}
