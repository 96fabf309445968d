import { alternate, compare } from './harness/alternate.ts';
import { nextMessage } from './harness/child.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

/** The longest stall of the event loop that any of these may cause, ms. */
const STALL_MS = 20;
/** What a search by a part of an order id may take, ms. */
const SEARCH_MS = 100;

const DAY_MS = 24 * 3600 * 1000;
const day = (ago: number): string => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
const PAYMENTS = '/payment/list';

interface PageRequest {
  readonly what: string;
  readonly path: string;
  readonly isSearch?: boolean;
}

const PAGE_REQUESTS: readonly PageRequest[] = [
  { what: 'search, one order', path: `${PAYMENTS}?search=der-123456`, isSearch: true },
  { what: 'search, every order', path: `${PAYMENTS}?search=order`, isSearch: true },
  { what: 'search, none', path: `${PAYMENTS}?search=nothing-like-it`, isSearch: true },
  { what: 'search by customer', path: `${PAYMENTS}?search=buyer-1234` },
  { what: 'search by amount', path: `${PAYMENTS}?search=25.5` },
  { what: 'customers by a part', path: '/merchant/customer/list?search=yer-1234' },
  { what: 'wallet by a text', path: '/merchant/wallet/transactions?search=nothing-like-it' },
  { what: 'first page', path: PAYMENTS },
  { what: 'volume of a year', path: `/merchant/volume?startDate=${day(364)}&endDate=${day(0)}` },
  { what: 'export of a month', path: `/payment/export?from=${day(60)}&to=${day(30)}&format=csv` },
  { what: 'figures of a month', path: '/payment/month-report' },
];

interface Cost {
  readonly ms: number;
  readonly stallMs: number;
}

/** Whether what reads much of a large shop keeps everyone else waiting. */
export const question: Question = {
  asks: `searches, volume, export and month-end of one shop with a million payments`,
  against: `a stall of ${STALL_MS} ms of the event loop; ${SEARCH_MS} ms for a search by order id`,
  run: async (bench) => {
    const history = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000, 1);
    const probe = new URL('harness/stall-probe.ts', import.meta.url).href;
    const daemon = await startDaemon(bench, { dataDir: history.dataDir, nodeArgs: ['--import', probe] });
    const token = history.merchants[0]?.secretKey ?? '';
    const comparisons: Comparison[] = [];
    for (const asked of PAGE_REQUESTS) comparisons.push(...(await cost(bench, daemon, { ...asked, token })));
    await daemon.stop();
    return { comparisons, notes: [`${history.payments} payments of one shop`] };
  },
};

async function cost(
  bench: Bench,
  daemon: Daemon,
  { what, path, isSearch = false, token }: PageRequest & { readonly token: string },
): Promise<Comparison[]> {
  // Once before the measurement, so that code is compiled.
  await ask(daemon, path, token);
  const rounds = await alternate({
    rounds: bench.quick ? 2 : 5,
    ours: async () => ask(daemon, path, token),
    baseline: async () => ({ ms: SEARCH_MS, stallMs: STALL_MS }),
  });
  const target = { atMost: 1 };
  return [
    compare(rounds, { what: `${what}, stall`, unit: 'ms', figure: ({ stallMs }) => stallMs, target }),
    compare(rounds, { what, unit: 'ms', figure: ({ ms }) => ms, target: isSearch ? target : null }),
  ];
}

async function ask(daemon: Daemon, path: string, token: string): Promise<Cost> {
  await stall(daemon);
  const started = performance.now();
  const response = await fetch(`${daemon.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  const ms = performance.now() - started;
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return { ms, stallMs: await stall(daemon) };
}

async function stall(daemon: Daemon): Promise<number> {
  const answer = nextMessage(daemon);
  daemon.process.send('stall');
  return ((await answer) as { stallMs: number }).stallMs;
}
