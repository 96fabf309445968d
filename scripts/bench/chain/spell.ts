import { setImmediate as turn } from 'node:timers/promises';
import type { Cost } from '../harness/cost.ts';

/**
 * Does a piece of work several times, as a process does that has nothing else to do.
 * @returns what one time took in the middle: with the garbage that was collected on the way, and with
 *   one turn of the event loop after each time, in which V8 does what it has put off
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
