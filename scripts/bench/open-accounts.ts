import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { BlockRef } from '../../src/domain/chain.ts';
import { Anvil } from '../../test/_helpers/anvil/anvil.ts';
import type { LookerStep } from './chain/account-looker.ts';
import { startRecorder, startReplayServer, type RecordedRequest } from './chain/recorder.ts';
import { alternate, compare } from './harness/alternate.ts';
import { nextMessage, startNode } from './harness/child.ts';
import type { Cost } from './harness/cost.ts';
import { productionArgs, profiling } from './harness/daemon.ts';
import type { Bench, Comparison, Question, Target } from './harness/question.ts';

const OPEN = 10_000;
const TRANSACTIONS = 300;
/** New Solana blocks between two polls: a little over a second. */
const BLOCKS = 3;
/** Polls per measurement, which is their mean: their garbage is collected within some of them. */
const LOOKS = 5;
/** Measurements before the first that counts, because a daemon polls for months in compiled code. */
const WARM_UPS = 8;

/** A process that polls a chain (chain/account-looker.ts). */
interface Looker {
  readonly open: (url: string) => Promise<void>;
  readonly tip: () => Promise<BlockRef>;
  readonly look: (from: BlockRef) => Promise<Cost>;
}

interface Chain {
  readonly what: string;
  readonly nodeUrl: string;
  readonly looker: Looker;
  /** The position of a follower, and a new block on the chain: not measured. */
  readonly prepare: () => Promise<BlockRef>;
}

/**
 * The cost of polling many open addresses, in addition to the node's own.
 *
 * Each side is a process with the options of scripts/start, and so is the node, so that garbage of one is not collected
 * in the time of the other. Garbage collection is not forced.
 */
export const question: Question = {
  asks: `an Ethereum block of ${TRANSACTIONS} transactions and a Solana tick, with ${OPEN} open addresses`,
  against:
    'the same requests, bare, as many at once over as many keep-alive connections, responses discarded',
  run: async (bench) => {
    const comparisons: Comparison[] = [];
    const notes: string[] = [
      'the ledger is read (open payments, what is held), nothing is written: no block pays any of them',
      `each figure is the mean of ${LOOKS} looks in a row`,
    ];
    for (const chain of [await ethereum(bench), await solana(bench)]) {
      const { looker, nodeUrl, prepare, what } = chain;
      const requests = await askedBy(bench, chain);
      await looker.open(nodeUrl);
      const put = await startBareAsker(bench, nodeUrl, requests);
      const sides = {
        ours: async () => meanOf(async () => looker.look(await prepare())),
        baseline: async () => meanOf(put),
      };
      await alternate({ rounds: WARM_UPS, ...sides });
      const rounds = await alternate({ rounds: bench.quick ? 3 : 15, ...sides });
      const line = (what: string, figure: (cost: Cost) => number, target: Target | null): Comparison =>
        compare(rounds, { what, unit: 'ms', figure, target });
      comparisons.push(line(what, ({ ms }) => ms, { atMost: 1.5 }));
      comparisons.push(line(`${what}, processor time`, ({ cpuMs }) => cpuMs, null));
      notes.push(`${what}: ${requests.length} HTTP requests`);
    }
    return { comparisons, notes };
  },
};

async function meanOf(measure: () => Promise<Cost>): Promise<Cost> {
  let [ms, cpuMs] = [0, 0];
  for (let at = 0; at < LOOKS; at += 1) {
    const cost = await measure();
    ms += cost.ms / LOOKS;
    cpuMs += cost.cpuMs / LOOKS;
  }
  return { ms, cpuMs };
}

/** The requests of one poll. */
async function askedBy(
  bench: Bench,
  { nodeUrl, looker, prepare }: Chain,
): Promise<readonly RecordedRequest[]> {
  const recorder = await startRecorder(bench, nodeUrl);
  await looker.open(recorder.url);
  // The first poll also detects the node's capabilities.
  await looker.look(await prepare());
  const from = await prepare();
  recorder.asked.length = 0;
  await looker.look(from);
  return [...recorder.asked];
}

/** Recorded responses of an anvil, because its time to trace a block is not our cost. */
async function ethereum(bench: Bench): Promise<Chain> {
  const node = await Anvil.start();
  bench.onEnd(async () => node.stop());
  bench.progress(`anvil mines ${TRANSACTIONS} transactions and traces them`);
  for (let at = 0; at < TRANSACTIONS; at += 1) {
    const address = `0x${randomBytes(20).toString('hex')}`;
    // Every fourth pays through a contract.
    const output = { address, amount: 1_000_000n };
    await (at % 4 === 0 ? node.payInside([output, output]) : node.pay(output));
  }
  await node.mine();
  const from = { height: (await node.height()) - 1, hash: '' };
  const looker = await startLooker(bench, 'ETH');
  const recorder = await startRecorder(bench, node.rpcUrl);
  await looker.open(recorder.url);
  await looker.look(from);
  return {
    what: `Ethereum block, ${TRANSACTIONS} transactions`,
    nodeUrl: await startReplayServer(bench, recorder.exchanges),
    looker,
    prepare: async () => Promise.resolve(from),
  };
}

async function solana(bench: Bench): Promise<Chain> {
  const node = startNode(bench, [fileURLToPath(new URL('chain/solana-node.ts', import.meta.url))], {});
  const { url: nodeUrl } = (await nextMessage(node)) as { url: string };
  const looker = await startLooker(bench, 'SOL');
  return {
    what: 'Solana tick',
    nodeUrl,
    looker,
    prepare: async () => {
      const from = await looker.tip();
      const made = nextMessage(node);
      node.process.send(BLOCKS);
      await made;
      return from;
    },
  };
}

async function startLooker(bench: Bench, coin: 'ETH' | 'SOL'): Promise<Looker> {
  const options = JSON.stringify({ coin, open: OPEN });
  const script = fileURLToPath(new URL('chain/account-looker.ts', import.meta.url));
  const child = startNode(bench, [...productionArgs(), ...profiling(), script, options]);
  await nextMessage(child);
  const take = async (step: LookerStep): Promise<unknown> => {
    child.process.send(step);
    return nextMessage(child);
  };
  return {
    open: async (url) => void (await take({ do: 'open', url })),
    tip: async () => (await take({ do: 'tip' })) as BlockRef,
    look: async (from) => (await take({ do: 'look', from })) as Cost,
  };
}

async function startBareAsker(
  bench: Bench,
  url: string,
  requests: readonly RecordedRequest[],
): Promise<() => Promise<Cost>> {
  const script = fileURLToPath(new URL('chain/bare-asker.ts', import.meta.url));
  const child = startNode(bench, [...productionArgs(), script, JSON.stringify({ url })]);
  await nextMessage(child);
  child.process.send(requests);
  await nextMessage(child);
  return async () => {
    child.process.send('put');
    return (await nextMessage(child)) as Cost;
  };
}
