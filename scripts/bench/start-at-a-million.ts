import { alternate, compare } from './harness/alternate.ts';
import { startDaemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import type { Bench, Question } from './harness/question.ts';

/** Whether a long history slows down a restart. */
export const question: Question = {
  asks: 'from the start of the process to the first 200 of /readyz, 1 M payments',
  against: 'the same with an empty database',
  run: async (bench) => {
    const { dataDir, payments } = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const emptyDir = bench.newDir();
    const rounds = await alternate({
      rounds: bench.quick ? 2 : 5,
      ours: () => start(bench, dataDir),
      baseline: () => start(bench, emptyDir),
    });
    return {
      comparisons: [
        compare(rounds, { what: 'ready', unit: 'ms', figure: (ms) => ms, target: { atMost: 3 } }),
      ],
      notes: [`${payments} payments`],
    };
  },
};

async function start(bench: Bench, dataDir: string): Promise<number> {
  const daemon = await startDaemon(bench, { dataDir });
  await daemon.stop();
  return daemon.readyMs;
}
