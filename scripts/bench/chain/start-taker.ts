import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, nextMessage, startNode } from '../harness/child.ts';
import type { Cost } from '../harness/cost.ts';
import { productionArgs, profiling } from '../harness/daemon.ts';
import type { Bench } from '../harness/question.ts';
import { blockAnswer } from './block-world.ts';
import { blockOf, payment, type SyntheticTransaction } from './synthetic-block.ts';

/** A process that executes an operation on request and returns its cost. */
export interface Side extends Pick<Child, 'settled' | 'pid'> {
  readonly work: () => Promise<Cost>;
}

/**
 * A process with the options of scripts/start that processes the next few blocks of a chain per call, one payment to a
 * pending shop payment in each.
 */
export async function startTaker(
  bench: Bench,
  given: {
    /** Number of watched addresses in addition to the paid ones. */
    readonly watched: number;
    readonly others: readonly SyntheticTransaction[];
    readonly calls: number;
    /** For each call. */
    readonly blocks: number;
  },
): Promise<Side> {
  const dir = bench.newDir();
  const script = fileURLToPath(new URL('block-taker.ts', import.meta.url));
  const options = JSON.stringify({ watched: given.watched, payments: given.calls * given.blocks });
  const child = startNode(bench, [...productionArgs(), ...profiling(), script, options]);
  const { tip, scripts } = (await nextMessage(child)) as { tip: string; scripts: readonly string[] };
  bench.progress(`making ${scripts.length} blocks`);
  let last = tip;
  const blocks = scripts.map((paid, at) => {
    const { hash, hex } = blockOf(last, [...given.others, payment([paid])]);
    const file = join(dir, `${at}.hex`);
    writeFileSync(file, blockAnswer(hex, at));
    last = hash;
    return { hash, file, at };
  });
  const work = async (): Promise<Cost> => {
    child.process.send(blocks.splice(0, given.blocks));
    return (await nextMessage(child)) as Cost;
  };
  return { settled: child.settled, pid: child.pid, work };
}

/** The measurement of one side, once no side is busy, not even with garbage collection. */
export async function inPeace(side: Side, all: readonly Side[]): Promise<Cost> {
  for (const each of all) await each.settled();
  return side.work();
}
