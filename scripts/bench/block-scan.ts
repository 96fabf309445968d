import { alternate, compare } from './harness/alternate.ts';
import { costOf } from './harness/cost.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';
import { BlockWorld } from './chain/block-world.ts';
import { blockOf, payment, strangers, type BlockShape } from './chain/synthetic-block.ts';
import { verboseAnswer } from './chain/verbose-answer.ts';

const WATCHED = 1_000;
const PAYMENTS = 1;

const SHAPES: readonly (BlockShape & { readonly name: string })[] = [
  { name: 'full block', transactions: 3_970, maxInputs: 3, legacyEvery: 8 },
  { name: '1 MB, 3,000 transactions', transactions: 3_000, maxInputs: 2, legacyEvery: 3 },
];

/** What a block costs from the node's answer to the ledger on disk, all its hashes checked. */
export const question: Question = {
  asks: 'one Bitcoin block, from the raw answer in memory to the committed ledger, with a payment to us in it',
  against: "JSON.parse alone of the same block's verbosity-2 answer, as bitcoind writes it",
  run: async (bench) => {
    const world = await BlockWorld.open(bench, WATCHED);
    const comparisons: Comparison[] = [];
    const notes: string[] = [];
    for (const shape of SHAPES) {
      const found = await measure(bench, world, shape);
      comparisons.push(...found.comparisons);
      notes.push(found.note);
    }
    return { comparisons, notes };
  },
};

async function measure(
  bench: Bench,
  world: BlockWorld,
  shape: BlockShape & { readonly name: string },
): Promise<{ comparisons: Comparison[]; note: string }> {
  const others = strangers(shape);
  bench.progress(`${shape.name}: a node decodes ${others.length} transactions`);
  const verbose = await verboseAnswer(
    bench,
    others.map(({ raw }) => raw),
  );
  const rounds = await alternate({
    rounds: bench.quick ? 5 : 25,
    ours: async () => {
      const paid = payment(await world.payees(PAYMENTS));
      const { credits, ...cost } = await world.take(blockOf(world.tip, [...others, paid]));
      if (credits !== PAYMENTS) throw new Error(`${credits} of ${PAYMENTS} payments were found`);
      return cost;
    },
    baseline: async () => (await costOf(() => void JSON.parse(verbose))).cost,
  });
  const { weight, hex } = blockOf(world.tip, others);
  return {
    comparisons: [
      compare(rounds, { what: shape.name, unit: 'ms', figure: ({ ms }) => ms, target: { atMost: 0.3 } }),
      compare(rounds, {
        what: `${shape.name}, processor time`,
        unit: 'ms',
        figure: ({ cpuMs }) => cpuMs,
        target: null,
      }),
    ],
    note: `${shape.name}: weight ${weight}, ${hex.length / 2} bytes raw, ${verbose.length} bytes verbose`,
  };
}
