import { alternate, compare } from './harness/alternate.ts';
import { costOf } from './harness/cost.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';
import { answered, BlockWorld } from './chain/block-world.ts';
import { blockOf, payment, strangers } from './chain/synthetic-block.ts';

const FEW = 1_000;
const MANY = [100_000, 1_000_000];

/** Whether a block costs more the more addresses were ever given out. */
export const question: Question = {
  asks: 'a full Bitcoin block to the committed ledger with many watched addresses, each paid once before',
  against: `the same with ${FEW}`,
  run: async (bench) => {
    const others = strangers({ transactions: 3_970, maxInputs: 3, legacyEvery: 8 });
    const take = async (world: BlockWorld): Promise<number> => {
      const paid = payment(await world.payees(1));
      const block = answered(blockOf(world.tip, [...others, paid]));
      const { cost, value: credits } = await costOf(async () => world.take(block));
      if (credits !== 1) throw new Error('the payment was not found');
      return cost.ms;
    };
    const small = await open(bench, FEW);
    const comparisons: Comparison[] = [];
    for (const wanted of MANY) {
      const watched = bench.quick ? wanted / 10 : wanted;
      const large = await open(bench, watched);
      const rounds = await alternate({
        rounds: bench.quick ? 5 : 15,
        ours: async () => take(large),
        baseline: async () => take(small),
      });
      comparisons.push(
        compare(rounds, {
          what: `${watched} addresses`,
          unit: 'ms',
          figure: (ms) => ms,
          target: { atMost: 1.3 },
        }),
      );
    }
    return { comparisons };
  },
};

async function open(bench: Bench, watched: number): Promise<BlockWorld> {
  bench.progress(`taking in ${watched} addresses`);
  const world = await BlockWorld.open(watched);
  bench.onEnd(async () => world.close());
  return world;
}
