import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alternate, compare } from './harness/alternate.ts';
import { nextMessage, startNode } from './harness/child.ts';
import type { Cost } from './harness/cost.ts';
import type { Bench, Comparison, Question, Target } from './harness/question.ts';
import { inPeace, type Side, startTaker } from './chain/start-taker.ts';
import { type BlockShape, blockOf, strangers } from './chain/synthetic-block.ts';
import { verboseAnswer } from './chain/verbose-answer.ts';

const WATCHED = 1_000;
/**
 * Consecutive blocks in each measurement, and measurements before the first that counts. All their responses are in
 * memory before: one more than in a daemon at the tip; with four blocks, that alone triggered garbage collections.
 */
const BLOCKS = 2;
const WARM_UPS = 12;

interface Named extends BlockShape {
  readonly name: string;
}

const SHAPES: readonly Named[] = [
  { name: 'full block', transactions: 3_970, maxInputs: 3, legacyEvery: 8 },
  { name: '1 MB, 3,000 transactions', transactions: 3_000, maxInputs: 2, legacyEvery: 3 },
];

/**
 * The cost of a block from the node's response to the ledger on disk.
 *
 * Each side is a process in steady state: both are warmed up equally, then measured in turn with a few consecutive
 * blocks. Garbage collection is not forced. A response of 10 MB leaves tens of MB of garbage, so a program that parses
 * such responses collects while it parses; ours collects its own garbage. Both pay for it within their own time,
 * because the mean of a few blocks counts, not the best one. Forcing a collection before each block would relieve the
 * parser of its garbage, and cost our side its optimised code and the caches of SQLite and V8, unlike in production.
 *
 * Before each measurement the threads of all processes are idle: a parser goes on sweeping for some milliseconds after
 * it has responded. Garbage collected while a side is idle is not counted; of the consecutive blocks, all but the last
 * pay for theirs.
 *
 * Ours runs with the options of scripts/start, the parser with Node's defaults.
 */
export const question: Question = {
  asks: 'one Bitcoin block, from the raw answer in memory to the committed ledger, with a payment to us in it',
  against: "JSON.parse alone of the same block's verbosity-2 answer, as bitcoind writes it",
  run: async (bench) => {
    const comparisons: Comparison[] = [];
    const notes: string[] = [];
    for (const shape of SHAPES) {
      const found = await measure(bench, shape);
      comparisons.push(...found.comparisons);
      notes.push(found.note);
    }
    return { comparisons, notes };
  },
};

async function measure(bench: Bench, shape: Named): Promise<{ comparisons: Comparison[]; note: string }> {
  const others = strangers(shape);
  bench.progress(`${shape.name}: a node decodes ${others.length} transactions`);
  const verbose = await verboseAnswer(
    bench,
    others.map(({ raw }) => raw),
  );
  const rounds = bench.quick ? 12 : 40;
  // Both measurements discard their first call.
  const calls = 2 * (rounds + 1) + WARM_UPS - 1;
  const take = await startTaker(bench, { watched: WATCHED, others, calls, blocks: BLOCKS });
  const parse = await startParser(bench, verbose);
  const all = [take, parse];
  const ours = async (): Promise<Cost> => inPeace(take, all);
  const baseline = async (): Promise<Cost> => inPeace(parse, all);
  for (let round = 0; round < WARM_UPS - 1; round += 1) {
    await ours();
    await baseline();
  }
  const measured = await alternate({ rounds, ours, baseline });
  const line = (what: string, figure: (cost: Cost) => number, target: Target | null): Comparison =>
    compare(measured, { what: `${shape.name}${what}`, unit: 'ms', figure, target });
  const { weight, hex } = blockOf('00'.repeat(32), others);
  return {
    comparisons: [
      line('', ({ ms }) => ms, { atMost: 0.5 }),
      line(', processor time', ({ cpuMs }) => cpuMs, null),
    ],
    note: `${shape.name}: weight ${weight}, ${hex.length / 2} bytes raw, ${verbose.length} bytes verbose`,
  };
}

async function startParser(bench: Bench, answer: string): Promise<Side> {
  const file = join(bench.newDir(), 'answer.json');
  writeFileSync(file, answer);
  const script = fileURLToPath(new URL('chain/answer-parser.ts', import.meta.url));
  const child = startNode(bench, [script, file]);
  await nextMessage(child);
  const work = async (): Promise<Cost> => {
    child.process.send(BLOCKS);
    return (await nextMessage(child)) as Cost;
  };
  return { settled: child.settled, pid: child.pid, work };
}
