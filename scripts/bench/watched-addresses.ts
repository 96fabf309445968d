import { alternate, compare } from './harness/alternate.ts';
import type { Cost } from './harness/cost.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';
import { inPeace, type Side, startTaker } from './chain/start-taker.ts';
import { strangers, type SyntheticTransaction } from './chain/synthetic-block.ts';

const FEW = 1_000;
const MANY = [100_000, 1_000_000];
/** Consecutive blocks in each measurement, and measurements before the first that counts. */
const BLOCKS = 2;
const WARM_UPS = 12;

/**
 * Whether the cost of a block grows with the number of addresses ever assigned.
 *
 * Measured like block-scan: each side is a process with the options of scripts/start, warmed up, with a few consecutive
 * blocks, without forced garbage collection, and no side starts while another one is busy.
 */
export const question: Question = {
  asks: 'a full Bitcoin block to the committed ledger with many watched addresses, each paid once before',
  against: `the same with ${FEW}`,
  run: async (bench) => {
    const others = strangers({ transactions: 3_970, maxInputs: 3, legacyEvery: 8 });
    const comparisons: Comparison[] = [];
    for (const wanted of MANY) comparisons.push(await measure(bench, others, wanted));
    return { comparisons };
  },
};

async function measure(
  bench: Bench,
  others: readonly SyntheticTransaction[],
  wanted: number,
): Promise<Comparison> {
  const rounds = bench.quick ? 12 : 40;
  const calls = rounds + WARM_UPS;
  const start = async (watched: number): Promise<Side> => {
    bench.progress(`loading ${watched} addresses`);
    return startTaker(bench, { watched, others, calls, blocks: BLOCKS });
  };
  const watched = bench.quick ? wanted / 10 : wanted;
  const [small, large] = [await start(FEW), await start(watched)];
  const all = [small, large];
  const ours = async (): Promise<Cost> => inPeace(large, all);
  const baseline = async (): Promise<Cost> => inPeace(small, all);
  for (let round = 0; round < WARM_UPS - 1; round += 1) {
    await ours();
    await baseline();
  }
  const measured = await alternate({ rounds, ours, baseline });
  return compare(measured, {
    what: `${watched} addresses`,
    unit: 'ms',
    figure: ({ ms }) => ms,
    target: { atMost: 1.3 },
  });
}
