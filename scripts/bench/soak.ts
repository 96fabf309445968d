import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PaymentJson, Shop } from '../../test/_helpers/api-client.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import { MEMPOOL, type Pay, startNodes, type Way, WAYS } from './chain/soak-nodes.ts';
import { compare } from './harness/alternate.ts';
import { startBareServer } from './harness/bare.ts';
import { nextMessage } from './harness/child.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { putLoad, type LoadRequest } from './harness/load.ts';
import { manyPayments, type History } from './harness/many-payments.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

const MB = 1_000_000;
const MINUTES = 60;
/** Payments that are open during the run, each with an account on Ethereum and on Solana. */
const OPEN = 10_000;
const REQUESTS_PER_SECOND = 50;
const PAY_EVERY_MS = 3_000;
/** How long after the end the last payments may take to be seen, ms. */
const LAST_SEEN_MS = 600_000;
const MINUTE_MS = 60_000;
/** Minutes until memory has its usual size: caches fill and code is compiled. */
const WARM_MINUTES = 5;
interface Paid {
  readonly id: string;
  readonly way: Way;
  readonly at: number;
}

interface Minute {
  readonly residentBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly stallMs: number;
  readonly cpuMs: number;
  /** p99 of a bare server in the same minute. */
  readonly bareP99Ms: number;
  /** Processes that wanted a core, 1-minute average of the machine. */
  readonly load: number;
}

/**
 * Whether a daemon at the size of the real networks stays as it is: a long run of reads, new payments and webhooks with
 * large chains, in which the daemon must see each payment on three of them. `--minutes 15` sets its length.
 */
export const question: Question = {
  asks: `memory, response times, stalls and missed payments: a million payments, ${MEMPOOL} transactions in the mempool, full blocks ten times as often, ${OPEN} open accounts each on Ethereum and Solana, ${REQUESTS_PER_SECOND} requests a second`,
  against: 'its own fifth minute, a bare server in the same minute, and the limits named',
  run: async (bench) => {
    const history = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const length = bench.minutes ?? MINUTES;
    const nodes = await startNodes(bench, length);
    const sink = await WebhookSink.start();
    bench.onEnd(async () => sink.close());
    const probe = new URL('harness/stall-probe.ts', import.meta.url).href;
    const daemon = await startDaemon(bench, {
      dataDir: history.dataDir,
      nodeArgs: ['--import', probe],
      env: nodes.env,
    });
    const shop = await Shop.open(daemon.api, { webhookUrl: sink.url });
    const open = await openPayments(shop, bench.quick ? 200 : OPEN);
    // Their webhooks would delay those of the payments that are paid.
    while (sink.deliveries.length < open.length) await sleep(1_000);
    bench.progress(`${open.length} payments are open`);
    const paid: Paid[] = [];
    const paying = payRegularly(open, nodes.pay, paid);
    bench.onEnd(paying.stop);
    const minutes: Minute[] = [];
    const requests = requestsOf(history, shop);
    const bare = await startBareServer(bench, { storedBytes: 1_000, answer: {} });
    for (let at = 1; at <= length; at += 1) {
      minutes.push(await measureMinute(bench, { daemon, bare, requests }));
      bench.progress(
        `minute ${at}: ${lineOf(minutes.at(-1))}; ${seen(sink, paid)} of ${paid.length} payments seen`,
      );
    }
    await paying.stop();
    const missed = await missedPayments(sink, paid);
    await daemon.stop();
    if (missed.length > 0) process.exitCode = 1;
    return {
      comparisons: comparisonsOf(minutes, missed.length),
      notes: [
        `${paid.length} payments paid, ${WAYS.map((way) => delaysOf(sink, paid, way)).join('; ')}`,
        ...missed.map(({ id, way }) => `missed: ${id}, ${way}`),
        ...minutes.map((minute, at) => `minute ${at + 1}: ${lineOf(minute)}`),
      ],
    };
  },
};

/** Payments at a time while they are made. */
const CREATED_AT_ONCE = 16;

async function openPayments(shop: Shop, count: number): Promise<PaymentJson[]> {
  const open: PaymentJson[] = [];
  while (open.length < count) {
    const create = async (): Promise<PaymentJson> =>
      shop.createPayment({ amount: '10', allowedCryptos: ['BTC', 'ETH', 'SOL'] });
    open.push(...(await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create))));
  }
  return open;
}

/** Pays an open payment every few seconds, on one chain after the other. */
function payRegularly(
  open: readonly PaymentJson[],
  pay: Pay,
  paid: Paid[],
): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    // The oldest, the newest and those between take turns.
    for (let at = 0; !stopping.signal.aborted; at += 1) {
      const way = WAYS[at % WAYS.length] ?? 'BTC';
      const payment = open[(at * 7) % open.length];
      if (payment !== undefined && at < open.length) {
        paid.push({ id: payment.id, way, at: Date.now() });
        await pay(way, payment);
      }
      await sleep(PAY_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Reads of the shops with a long history, and new payments. */
function requestsOf({ merchants, paymentId }: History, shop: Shop): LoadRequest[] {
  const first = { Authorization: `Bearer ${merchants[0]?.secretKey ?? ''}` };
  return merchants.flatMap(({ secretKey }): LoadRequest[] => {
    const headers = { Authorization: `Bearer ${secretKey}` };
    const created = { Authorization: `Bearer ${shop.secretKey}`, 'Content-Type': 'application/json' };
    const order = {
      amount: '49.90',
      currency: 'USD',
      customerId: shop.customerId,
      orderId: 'load-{{id}}',
      allowedCryptos: ['BTC', 'ETH'],
    };
    return [
      { method: 'POST', path: '/payment/create', headers: created, body: JSON.stringify(order) },
      { method: 'GET', path: '/payment/list?limit=25', headers },
      { method: 'GET', path: `/payment/get?paymentId=${paymentId}`, headers: first },
      { method: 'GET', path: '/payment/list?status=completed&page=20', headers },
      { method: 'GET', path: '/merchant/events', headers },
    ];
  });
}

const BARE_PER_SECOND = 10;
/** One insert and four reads, like the requests to the daemon. */
const BARE_REQUESTS: readonly LoadRequest[] = [
  {
    method: 'POST',
    path: '/insert',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ orderId: 'load-{{id}}' }),
  },
  ...Array.from({ length: 4 }, () => ({ method: 'GET', path: '/row?id=known' }) as const),
];

interface Measured {
  readonly daemon: Daemon;
  readonly bare: Awaited<ReturnType<typeof startBareServer>>;
  readonly requests: readonly LoadRequest[];
}

async function measureMinute(bench: Bench, { daemon, bare, requests }: Measured): Promise<Minute> {
  const cpuBefore = daemon.usage().cpuMs;
  const load = {
    connections: 16,
    durationMs: bench.quick ? 10_000 : MINUTE_MS,
    isElsewhere: true,
    opensAnew: true,
  };
  const [{ p50Ms, p99Ms }, { p99Ms: bareP99Ms }] = await Promise.all([
    putLoad(bench, { ...load, url: daemon.url, requests, ratePerSecond: REQUESTS_PER_SECOND }),
    putLoad(bench, { ...load, url: bare.url, requests: BARE_REQUESTS, ratePerSecond: BARE_PER_SECOND }),
  ]);
  const answer = nextMessage(daemon);
  daemon.process.send('stall');
  const { stallMs } = (await answer) as { stallMs: number };
  const { residentBytes, cpuMs } = daemon.usage();
  return {
    residentBytes,
    p50Ms,
    p99Ms,
    stallMs,
    bareP99Ms,
    cpuMs: cpuMs - cpuBefore,
    load: loadavg()[0] ?? 0,
  };
}

function lineOf(minute: Minute | undefined): string {
  if (minute === undefined) return '';
  const { residentBytes, p50Ms, p99Ms, bareP99Ms, stallMs, cpuMs, load } = minute;
  return `${Math.round(residentBytes / MB)} MB, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (bare ${bareP99Ms.toFixed(1)}), longest stall ${stallMs.toFixed(0)} ms, ${(cpuMs / 1_000).toFixed(1)} s of processor time, load ${load.toFixed(1)}`;
}

/** When the first webhook about each payment arrived that says that money was seen. */
function seenAt(sink: WebhookSink): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { body } of sink.deliveries) {
    const id = String(body.data.payment?.['id']);
    if (['payment.confirming', 'payment.completed'].includes(body.type) && !times.has(id)) {
      times.set(id, Date.parse(body.timestamp));
    }
  }
  return times;
}

function seen(sink: WebhookSink, paid: readonly Paid[]): number {
  const times = seenAt(sink);
  return paid.filter(({ id }) => times.has(id)).length;
}

async function missedPayments(sink: WebhookSink, paid: readonly Paid[]): Promise<readonly Paid[]> {
  const until = Date.now() + LAST_SEEN_MS;
  while (seen(sink, paid) < paid.length && Date.now() < until) await sleep(1_000);
  const times = seenAt(sink);
  return paid.filter(({ id }) => !times.has(id));
}

function delaysOf(sink: WebhookSink, paid: readonly Paid[], way: Way): string {
  const times = seenAt(sink);
  const delays = paid
    .filter((each) => each.way === way && times.has(each.id))
    .map(({ id, at }) => (times.get(id) ?? at) - at)
    .sort((a, b) => a - b);
  const median = delays[Math.floor(delays.length / 2)] ?? 0;
  return `${way} seen after ${(median / 1_000).toFixed(1)} s (median), ${((delays.at(-1) ?? 0) / 1_000).toFixed(1)} s at most`;
}

/** Response times above this, ms, are felt. */
const P99_MS = 300;
const STALL_MS = 100;

function comparisonsOf(minutes: readonly Minute[], missed: number): Comparison[] {
  const warm = minutes.slice(Math.min(WARM_MINUTES, minutes.length) - 1);
  const [first] = warm;
  const rows = (figure: (minute: Minute) => number, baseline: number) => ({
    ours: warm.map(figure),
    baseline: warm.map(() => baseline),
  });
  const row = (what: string, unit: string, sides: ReturnType<typeof rows>, atMost: number): Comparison =>
    compare(sides, { what, unit, figure: (value) => value, target: { atMost } });
  const megabytes = ({ residentBytes }: Minute): number => residentBytes / MB;
  return [
    row('payments missed', 'count', { ours: [missed], baseline: [1] }, 0),
    row('resident', 'MB', rows(megabytes, first === undefined ? 0 : megabytes(first)), 1.2),
    compare(
      { ours: warm.map(({ p99Ms }) => p99Ms), baseline: warm.map(({ bareP99Ms }) => bareP99Ms) },
      { what: 'p99, of a bare server in the same minute', unit: 'ms', figure: (ms) => ms, target: null },
    ),
    row(
      `p99, of ${P99_MS} ms allowed`,
      'ms',
      rows(({ p99Ms }) => p99Ms, P99_MS),
      1,
    ),
    row(
      `longest stall in a minute, of ${STALL_MS} ms allowed`,
      'ms',
      rows(({ stallMs }) => stallMs, STALL_MS),
      1,
    ),
  ];
}
