import { alternate, compare } from './harness/alternate.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { putLoad, type LoadRequest } from './harness/load.ts';
import { manyPayments, type History } from './harness/many-payments.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

interface Shown {
  readonly what: string;
  readonly path: (history: History) => string;
  /** The path to compare with at 1,000 payments; the same by default. */
  readonly smallPath?: string;
  /** Maximum ratio to the time with 1,000 payments; 2 by default. */
  readonly atMost?: number;
  /** Number of merchants to request it for; all by default, one if the data exists only for the first. */
  readonly merchants?: number;
}

const DAY_MS = 24 * 3600 * 1000;
const HALF_YEAR_AGO = encodeURIComponent(new Date(Date.now() - 180 * DAY_MS).toISOString());
const WEEKS_AGO = encodeURIComponent(new Date(Date.now() - 20 * DAY_MS).toISOString());
const YEAR = `startDate=${dayBefore(364)}&endDate=${dayBefore(0)}`;
const PAYMENTS = '/payment/list';
const DELIVERIES = '/merchant/webhook/deliveries';
const WALLET = '/merchant/wallet/transactions';
const CUSTOMERS = '/merchant/customer/list';
const METRICS = '/metrics';
const CUSTOMER = `cus_${'0'.repeat(24)}`;

/**
 * The lists of a shop and its dashboard. With 1,000 payments each of the 100 merchants has ten: limits are such that a
 * page is full on both sides, otherwise the baseline would be faster because it returns less.
 */
const SHOWN: readonly Shown[] = [
  { what: 'first page', path: () => PAYMENTS },
  { what: 'by status', path: () => `${PAYMENTS}?status=completed&limit=4` },
  { what: 'by coin', path: () => `${PAYMENTS}?coin=SOL&limit=4` },
  { what: 'by status and coin', path: () => `${PAYMENTS}?status=completed&coin=BTC&limit=4` },
  { what: 'of half a year', path: () => `${PAYMENTS}?startDate=${HALF_YEAR_AGO}&limit=3` },
  {
    what: 'of half a year, by status and coin',
    path: () => `${PAYMENTS}?startDate=${HALF_YEAR_AGO}&status=completed&coin=SOL&limit=1`,
  },
  { what: 'by customer', path: () => `${PAYMENTS}?customerId=${CUSTOMER}&limit=1`, merchants: 1 },
  { what: 'by order id', path: () => `${PAYMENTS}?orderId=order-0`, merchants: 1 },
  // A search reads all payments of its shop: 10,000, or ten.
  { what: 'found by a part of the order id', path: () => `${PAYMENTS}?search=order-1&limit=1`, atMost: 30 },
  { what: 'found by customer', path: () => `${PAYMENTS}?search=buyer-1&limit=1`, atMost: 30 },
  {
    what: 'page 1,000',
    path: (history) => `${PAYMENTS}?page=${last(history)}`,
    smallPath: PAYMENTS,
    atMost: 10,
  },
  { what: 'one payment', path: ({ paymentId }) => `/payment/get?paymentId=${paymentId}`, merchants: 1 },
  { what: 'events', path: () => '/merchant/events' },
  { what: 'events by type', path: () => '/merchant/events?type=payment.completed&limit=4' },
  {
    what: 'events of a payment',
    path: ({ paymentId }) => `/merchant/events?paymentId=${paymentId}`,
    merchants: 1,
  },
  { what: 'webhook logs', path: () => '/merchant/webhook-logs?limit=1' },
  { what: 'webhook logs by status', path: () => '/merchant/webhook-logs?status=200&limit=1' },
  { what: 'webhook logs of 20 days', path: () => `/merchant/webhook-logs?startDate=${WEEKS_AGO}&limit=1` },
  { what: 'webhook deliveries', path: () => `${DELIVERIES}?limit=1` },
  { what: 'webhook deliveries by event', path: () => `${DELIVERIES}?event=payment.completed&limit=1` },
  { what: 'webhook deliveries of 20 days', path: () => `${DELIVERIES}?startDate=${WEEKS_AGO}&limit=1` },
  { what: 'wallet transactions', path: () => `${WALLET}?limit=5` },
  { what: 'wallet transactions by coin', path: () => `${WALLET}?coin=BTC&limit=2` },
  {
    what: 'wallet transactions, page 1,000',
    path: (history) => `${WALLET}?limit=5&page=${last(history)}`,
    smallPath: `${WALLET}?limit=5`,
    atMost: 10,
  },
  { what: 'balances', path: () => '/merchant/wallet/balances' },
  { what: 'customers', path: () => CUSTOMERS },
  {
    what: 'customers, page 1,000',
    path: (history) => `${CUSTOMERS}?page=${last(history)}`,
    smallPath: CUSTOMERS,
    atMost: 10,
  },
  { what: 'volume of 30 days', path: () => '/merchant/volume', merchants: 20 },
  { what: 'volume of a year', path: () => `/merchant/volume?${YEAR}`, merchants: 3 },
  { what: 'metrics', path: () => METRICS },
];

/** Page 1,000 of a million; the last page of the smaller history of a quick run. */
function last({ payments }: History): number {
  return payments / 1_000;
}

/** Whether a long history slows down lists. */
export const question: Question = {
  asks: 'gets and lists with exact totals, 1 M payments over 100 merchants',
  against:
    'the same pages, equally full, with 1,000 payments over 100 merchants (page 1,000: with its first)',
  run: async (bench) => {
    const many = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const few = await manyPayments(bench, 1_000);
    const large = await startDaemon(bench, { dataDir: many.dataDir });
    const small = await startDaemon(bench, { dataDir: few.dataDir });
    const comparisons: Comparison[] = [];
    // Each is requested once before the measurement, so that shared code is compiled.
    const requests: PagePair[] = [];
    for (const shown of SHOWN) requests.push(await alike(shown, { large, many, small, few }));
    for (const { shown, ofLarge, ofSmall } of requests) {
      const rounds = await alternate({
        rounds: bench.quick ? 2 : 5,
        ours: () => time(bench, large, ofLarge),
        baseline: () => time(bench, small, ofSmall),
      });
      const target = { atMost: shown.atMost ?? 2 };
      comparisons.push(compare(rounds, { what: shown.what, unit: 'ms', figure: (ms) => ms, target }));
    }
    await large.stop();
    await small.stop();
    return { comparisons, notes: [`median time of one request at a time, ${many.payments} payments`] };
  },
};

interface PagePair {
  readonly shown: Shown;
  readonly ofLarge: readonly LoadRequest[];
  readonly ofSmall: readonly LoadRequest[];
}

interface Sides {
  readonly large: Daemon;
  readonly many: History;
  readonly small: Daemon;
  readonly few: History;
}

/** The pages of fewer merchants would stay in the cache. */
const FEWEST_MERCHANTS = 20;

/** The requests of the merchants with equally many rows on both sides, to be sent in turn. */
async function alike(shown: Shown, { large, many, small, few }: Sides): Promise<PagePair> {
  const path = shown.path(many);
  const smallPath = shown.smallPath ?? shown.path(few);
  const ofLarge: LoadRequest[] = [];
  const ofSmall: LoadRequest[] = [];
  const merchants = shown.merchants ?? many.merchants.length;
  for (let at = 0; at < merchants; at += 1) {
    const [ours, theirs] = [many.merchants[at]?.secretKey ?? '', few.merchants[at]?.secretKey ?? ''];
    const rows = await rowsOf(large, path, ours);
    if (rows === 0 || rows !== (await rowsOf(small, smallPath, theirs))) continue;
    ofLarge.push(get(path, ours));
    ofSmall.push(get(smallPath, theirs));
  }
  if (ofLarge.length < Math.min(merchants, FEWEST_MERCHANTS))
    throw new Error(`only ${ofLarge.length} merchants have equally many rows on both sides: ${shown.what}`);
  return { shown, ofLarge, ofSmall };
}

/** The length of the list in a response; 1 if there is none. */
async function rowsOf({ api }: Daemon, path: string, token: string): Promise<number> {
  if (path === METRICS) return 1;
  const list = Object.values(await api.must('GET', path, { token })).find(Array.isArray);
  return list?.length ?? 1;
}

function get(path: string, secretKey: string): LoadRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${secretKey}` } };
}

const SPELL_MS = 200;

async function time(bench: Bench, daemon: Daemon, requests: readonly LoadRequest[]): Promise<number> {
  const { p50Ms } = await putLoad(bench, { url: daemon.url, connections: 1, durationMs: SPELL_MS, requests });
  return p50Ms;
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}
