import { fileURLToPath } from 'node:url';
import type { LookerStep } from './chain/account-looker.ts';
import { type RecordedRequest, startRecorder } from './chain/recorder.ts';
import { alternate, compare } from './harness/alternate.ts';
import { nextMessage, startNode } from './harness/child.ts';
import type { Cost } from './harness/cost.ts';
import { productionArgs, profiling } from './harness/daemon.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

const WAITING = [100, 1_000, 10_000];
/** Consecutive blocks per measurement, which is their mean. */
const BLOCKS = 10;
/** Measurements before the first that counts, because a daemon reads blocks for months in compiled code. */
const WARM_UPS = 4;

interface Side {
  readonly url: string;
  readonly waiting: number;
}

/** A process that reads blocks (chain/account-looker.ts). */
interface Reader {
  readonly open: (url: string) => Promise<void>;
  /** Reads the next block. */
  readonly next: () => Promise<Cost>;
}

/**
 * What an Ethereum block costs in addition to its requests. Each side is a process with the options of
 * scripts/start, and so is the node, whose time does not count.
 */
export const question: Question = {
  asks: 'consecutive Ethereum blocks of 400 transactions to our accounts, none of them paid, by waiting payments',
  against: 'the same requests, bare, as many at once, each response parsed as JSON',
  run: async (bench) => {
    const comparisons: Comparison[] = [];
    const notes: string[] = [`each figure is the mean of ${BLOCKS} blocks in a row`];
    for (const isTraced of [false, true]) {
      const url = await startEthereumNode(bench, isTraced);
      for (const waiting of bench.quick ? WAITING.slice(0, 2) : WAITING) {
        const what = `${waiting} waiting${isTraced ? ', traced' : ''}`;
        const measured = await measure(bench, { url, waiting }, what);
        comparisons.push(...measured.comparisons);
        notes.push(`${what}: ${measured.note}`);
      }
    }
    return { comparisons, notes };
  },
};

async function measure(
  bench: Bench,
  { url, waiting }: Side,
  what: string,
): Promise<{ readonly comparisons: readonly Comparison[]; readonly note: string }> {
  const reader = await startReader(bench, waiting);
  const { asked, note } = await requestsOf(bench, reader, url);
  await reader.open(url);
  const bare = await startBare(bench, url, asked);
  const ours = async (): Promise<Cost> => meanOf(reader.next);
  const sides = { ours, baseline: bare };
  await alternate({ rounds: WARM_UPS, ...sides });
  const rounds = await alternate({ rounds: bench.quick ? 3 : 10, ...sides });
  const target = { atMost: 2 };
  return {
    comparisons: [
      compare(rounds, { what: `${what}, processor time`, unit: 'ms', figure: ({ cpuMs }) => cpuMs, target }),
      compare(rounds, { what, unit: 'ms', figure: ({ ms }) => ms, target: null }),
    ],
    note,
  };
}

/** The requests of some blocks in a row, and their number and size. */
async function requestsOf(
  bench: Bench,
  reader: Reader,
  url: string,
): Promise<{ readonly asked: readonly RecordedRequest[]; readonly note: string }> {
  const recorder = await startRecorder(bench, url);
  await reader.open(recorder.url);
  // The first block also detects the node's capabilities.
  for (let at = 0; at < BLOCKS; at += 1) await reader.next();
  recorder.asked.length = 0;
  recorder.exchanges.length = 0;
  for (let at = 0; at < BLOCKS; at += 1) await reader.next();
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0) / BLOCKS;
  const sent = sum(recorder.exchanges.map(({ body }) => body.length));
  const received = sum(recorder.exchanges.map(({ answer }) => answer.length));
  const note = `${recorder.asked.length / BLOCKS} requests, ${Math.round(sent / 1_000)} kB sent and ${Math.round(received / 1_000)} kB received a block`;
  return { asked: [...recorder.asked], note };
}

async function meanOf(next: () => Promise<Cost>): Promise<Cost> {
  let [ms, cpuMs] = [0, 0];
  for (let at = 0; at < BLOCKS; at += 1) {
    const cost = await next();
    ms += cost.ms / BLOCKS;
    cpuMs += cost.cpuMs / BLOCKS;
  }
  return { ms, cpuMs };
}

async function startEthereumNode(bench: Bench, traced: boolean): Promise<string> {
  const script = fileURLToPath(new URL('chain/ethereum-node.ts', import.meta.url));
  const child = startNode(bench, [script, JSON.stringify({ traced })]);
  const { port } = (await nextMessage(child)) as { port: number };
  return `http://127.0.0.1:${port}`;
}

async function startReader(bench: Bench, open: number): Promise<Reader> {
  const script = fileURLToPath(new URL('chain/account-looker.ts', import.meta.url));
  const options = JSON.stringify({ coin: 'ETH', open });
  const child = startNode(bench, [...productionArgs(), ...profiling(), script, options]);
  await nextMessage(child);
  const take = async (step: LookerStep): Promise<unknown> => {
    child.process.send(step);
    return nextMessage(child);
  };
  let height = 0;
  return {
    open: async (url) => void (await take({ do: 'open', url })),
    next: async () => {
      height += 1;
      return (await take({ do: 'look', from: { height, hash: '' } })) as Cost;
    },
  };
}

/** The same requests in a process of their own: the mean of a block. */
async function startBare(
  bench: Bench,
  url: string,
  asked: readonly RecordedRequest[],
): Promise<() => Promise<Cost>> {
  const script = fileURLToPath(new URL('chain/bare-asker.ts', import.meta.url));
  const child = startNode(bench, [...productionArgs(), script, JSON.stringify({ url, parses: true })]);
  await nextMessage(child);
  child.process.send(asked);
  await nextMessage(child);
  return async () => {
    child.process.send('put');
    const { ms, cpuMs } = (await nextMessage(child)) as Cost;
    return { ms: ms / BLOCKS, cpuMs: cpuMs / BLOCKS };
  };
}
