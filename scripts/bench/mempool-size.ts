import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseAddress } from '../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../src/domain/coins.ts';
import { type PaymentJson, Shop } from '../../test/_helpers/api-client.ts';
import { toAtoms } from '../../test/_helpers/nodes/index.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import type { NodeStep } from './chain/large-mempool-node.ts';
import type { LookCost } from './chain/mempool-looker.ts';
import { alternate, compare } from './harness/alternate.ts';
import { nextMessage, startNode } from './harness/child.ts';
import { productionArgs, profiling, startDaemon } from './harness/daemon.ts';
import { putLoad } from './harness/load.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

/** Sizes of the mempool, with the longest stall of the event loop that a poll may cause, ms. */
const SIZES = [
  { size: 200_000, stallMs: 20 },
  { size: 500_000, stallMs: 50 },
] as const;
const CAPACITY = 510_000;
/** New transactions between two polls: seven a second. */
const ADDED = 35;
const LOOKS = 5;
const FIRST_SEEN_MS = 3_000;
/** Longer than the daemon's polling interval. */
const QUIET_MS = 6_000;

/** A node whose mempool has the size of a main network's (chain/large-mempool-node.ts). */
interface Node {
  readonly url: string;
  readonly tell: (step: NodeStep) => Promise<unknown>;
}

/**
 * What a large mempool costs, and whether shops notice it. Figures of processor time: the longest stretch of the main
 * thread's between two turns of the event loop is a stall, whatever else the machine does.
 */
export const question: Question = {
  asks: 'a look at a mempool of 200,000 and 500,000 transactions, reads beside it, and the first payment after a start',
  against: 'receiving the bytes of the list; an empty mempool; the time allowed',
  run: async (bench) => {
    const node = await startMempoolNode(bench);
    const comparisons: Comparison[] = [];
    for (const { size, stallMs } of SIZES) comparisons.push(...(await looks(bench, node, { size, stallMs })));
    comparisons.push(await reads(bench, node));
    const first = await firstPayments(bench, node);
    comparisons.push(...first.comparisons);
    return { comparisons, notes: [`${ADDED} new transactions between two looks`, ...first.notes] };
  },
};

async function startMempoolNode(bench: Bench): Promise<Node> {
  bench.progress(`making ${CAPACITY} transactions`);
  const script = fileURLToPath(new URL('chain/large-mempool-node.ts', import.meta.url));
  const child = startNode(bench, [script, String(CAPACITY)]);
  const { port } = (await nextMessage(child)) as { port: number };
  const tell = async (step: NodeStep): Promise<unknown> => {
    const answer = nextMessage(child);
    child.process.send(step);
    return answer;
  };
  return { url: `http://u:p@127.0.0.1:${port}`, tell };
}

async function looks(
  bench: Bench,
  node: Node,
  { size, stallMs }: { readonly size: number; readonly stallMs: number },
): Promise<Comparison[]> {
  await node.tell({ size });
  const [ours, bare] = [
    await startLooker(bench, 'ours', node.url),
    await startLooker(bench, 'bare', node.url),
  ];
  bench.progress(`reading ${size} transactions for the first time`);
  while ((await ours.look()).left > 0);
  const worst = async (look: () => Promise<LookCost>): Promise<LookCost> => {
    const costs: LookCost[] = [];
    for (let at = 0; at < LOOKS; at += 1) {
      await node.tell({ add: ADDED });
      costs.push(await look());
    }
    const mean = costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / LOOKS;
    return { cpuMs: mean, stallMs: Math.max(...costs.map((cost) => cost.stallMs)), left: 0 };
  };
  const rounds = await alternate({
    rounds: bench.quick ? 3 : 10,
    ours: async () => worst(ours.look),
    baseline: async () => worst(bare.look),
  });
  await Promise.all([ours.stop(), bare.stop()]);
  const name = size.toLocaleString('en');
  const allowed = { ours: rounds.ours, baseline: rounds.ours.map(() => ({ cpuMs: 0, stallMs, left: 0 })) };
  return [
    compare(rounds, {
      what: `processor time of a look, ${name}`,
      unit: 'ms',
      figure: ({ cpuMs }) => cpuMs,
      target: { atMost: 3 },
    }),
    compare(allowed, {
      what: `longest stall of ${LOOKS} looks, ${name}, of ${stallMs} ms allowed`,
      unit: 'ms',
      figure: (cost) => cost.stallMs,
      target: { atMost: 1 },
    }),
    compare(rounds, {
      what: `the same, of receiving alone`,
      unit: 'ms',
      figure: (cost) => cost.stallMs,
      target: null,
    }),
  ];
}

async function startLooker(
  bench: Bench,
  side: 'ours' | 'bare',
  url: string,
): Promise<{ readonly look: () => Promise<LookCost>; readonly stop: () => Promise<void> }> {
  const script = fileURLToPath(new URL('chain/mempool-looker.ts', import.meta.url));
  const args = [...productionArgs(), ...profiling(), script, JSON.stringify({ side, url })];
  const child = startNode(bench, args);
  await nextMessage(child);
  const look = async (): Promise<LookCost> => {
    const answer = nextMessage(child);
    child.process.send('look');
    return (await answer) as LookCost;
  };
  return { look, stop: child.stop };
}

/** Reads of one payment while the daemon polls a mempool of 200,000, and an empty one. */
async function reads(bench: Bench, node: Node): Promise<Comparison> {
  const [{ size }] = SIZES;
  await node.tell({ size });
  const daemon = await startDaemon(bench, { env: variables(node) });
  const shop = await Shop.open(daemon.api);
  const { id } = await shop.createPayment();
  const ask = async (transactions: number) => {
    await node.tell({ size: transactions });
    await untilRead(node);
    return putLoad(bench, {
      url: daemon.url,
      connections: 4,
      ratePerSecond: 50,
      durationMs: bench.quick ? 10_000 : 30_000,
      requests: [
        {
          method: 'GET',
          path: `/payment/get?paymentId=${id}`,
          headers: { Authorization: `Bearer ${shop.secretKey}` },
        },
      ],
      isElsewhere: true,
    });
  };
  const rounds = await alternate({
    rounds: bench.quick ? 2 : 5,
    ours: async () => ask(size),
    baseline: async () => ask(0),
  });
  await daemon.stop();
  return compare(rounds, {
    what: `p99 of payment/get, ${size.toLocaleString('en')} against none`,
    unit: 'ms',
    figure: ({ p99Ms }) => p99Ms,
    target: { atMost: 1.5 },
  });
}

/** Until a poll has read nothing new: a daemon reads everything once, which is not what a look costs. */
async function untilRead(node: Node): Promise<void> {
  do {
    await node.tell({ asked: true });
    await sleep(QUIET_MS);
  } while ((((await node.tell({ asked: true })) as CallCounts).asked['getrawtransaction'] ?? 0) > 0);
}

function variables(node: Node): Record<string, string> {
  return {
    TILLD_NETWORK: 'regtest',
    TILLD_BTC_RPC_URL: node.url,
    TILLD_ALLOW_PRIVATE_WEBHOOKS: 'on',
  };
}

/** From the start of the process to the webhook of a payment that the list shows last. */
async function firstPayments(
  bench: Bench,
  node: Node,
): Promise<{ readonly comparisons: Comparison[]; readonly notes: string[] }> {
  const [{ size }] = SIZES;
  await node.tell({ size: 0 });
  const sink = await WebhookSink.start();
  bench.onEnd(async () => sink.close());
  const dataDir = bench.newDir();
  const options = { dataDir, env: variables(node) };
  const empty = await startDaemon(bench, options);
  await empty.stop();
  const notes = [`a start beside an empty mempool takes ${Math.round(empty.readyMs)} ms`];
  await node.tell({ size });
  const times: Record<'remembered' | 'arriving' | 'unread', number[]> = {
    remembered: [],
    arriving: [],
    unread: [],
  };
  let daemon = await startDaemon(bench, options);
  const shop = await Shop.open(daemon.api, { webhookUrl: sink.url });
  const payments: PaymentJson[] = [];
  for (let at = 0; at < (bench.quick ? 3 : 9); at += 1) {
    payments.push(await shop.createPayment({ amount: '10', allowedCryptos: ['BTC'] }));
  }
  while (payments.length > 0) {
    for (const start of ['remembered', 'arriving', 'unread'] as const) {
      const { id, options: offers } = payments.pop() ?? fail();
      const { address, amount } = offers.BTC;
      await daemon.stop();
      const payment = { pay: scriptOf(address), amount: Number(toAtoms(amount)) };
      if (start !== 'remembered') rmSync(join(dataDir, 'mempool-btc.cache'));
      if (start !== 'arriving') await node.tell(payment);
      await node.tell({ asked: true });
      const from = performance.now();
      const seen = sink.waitForEvent('payment.confirming', id, 120_000);
      const starting = startDaemon(bench, options);
      if (start === 'arriving') {
        while (!(await isListed(node)));
        await node.tell(payment);
      }
      await seen;
      times[start].push(performance.now() - from);
      daemon = await starting;
      const { asked, sentBytes } = (await node.tell({ asked: true })) as CallCounts;
      notes.push(
        `start, ${start}: ${asked['getrawtransaction'] ?? 0} transactions read, ${Math.round(sentBytes / 1e6)} MB`,
      );
      await node.tell({ forget: true });
    }
  }
  await daemon.stop();
  return {
    comparisons: [
      line('payment of the downtime, of 3 s allowed', times.remembered, true),
      line('payment that arrives while everything is unread, of 3 s allowed', times.arriving, true),
      line('payment last of an unread mempool', times.unread, false),
    ],
    notes,
  };
}

function line(what: string, ms: readonly number[], isTarget: boolean): Comparison {
  return compare(
    { ours: ms, baseline: ms.map(() => FIRST_SEEN_MS) },
    { what, unit: 'ms', figure: (value) => value, target: isTarget ? { atMost: 1 } : null },
  );
}

function fail(): never {
  throw new Error('too few payments were made');
}

interface CallCounts {
  readonly asked: Readonly<Record<string, number>>;
  readonly sentBytes: number;
}

async function isListed(node: Node): Promise<boolean> {
  const { asked } = (await node.tell({ asked: true })) as CallCounts;
  return (asked['getrawmempool'] ?? 0) > 0;
}

function scriptOf(address: string): string {
  const parsed = parseAddress(UTXO_COINS.BTC, 'regtest', address);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return Buffer.from(parsed.script).toString('hex');
}
