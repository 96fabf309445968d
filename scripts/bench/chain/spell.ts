import { setImmediate as turn } from 'node:timers/promises';
import type { Cost } from '../harness/cost.ts';

/**
 * Executes operations one after the other, as an otherwise idle process does.
 * @returns the mean cost of one: including the garbage collected during them, and one turn of the event loop after
 * each, in which V8 does deferred work
 */
export async function costOfEach(works: readonly (() => unknown)[]): Promise<Cost> {
  const before = process.cpuUsage();
  const started = performance.now();
  for (const work of works) {
    await work();
    await turn();
  }
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { ms: ms / works.length, cpuMs: (user + system) / 1000 / works.length };
}
