import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Child } from './child.ts';

/** Main threads have the first core, other threads the second one; or all of them both. */
const FIRST = '0';
const SECOND = '1';
const BOTH = '0,1';

/**
 * Gives the main thread of each process one core and its other threads another one, on every side of a comparison, while
 * it is measured. The kernel of a virtual machine may let a thread run on the core of the one that woke it, although the
 * other core has nothing to do; whether it does is luck that lasts for a whole run. Threads begun later are on the first
 * core: all that are needed must be there, as after a warm-up.
 * @returns what `measure` does, and whether they were apart: not so with a single core, or without taskset (util-linux)
 */
export async function apart<T>(
  children: readonly Pick<Child, 'pid'>[],
  measure: () => Promise<T>,
): Promise<{ readonly measured: T; readonly areApart: boolean }> {
  const areApart = availableParallelism() > 1 && place(children, FIRST, SECOND);
  try {
    return { measured: await measure(), areApart };
  } finally {
    if (areApart) place(children, BOTH, BOTH);
  }
}

function place(children: readonly Pick<Child, 'pid'>[], main: string, others: string): boolean {
  try {
    for (const { pid } of children) {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const cores = Number(thread) === pid ? main : others;
        execFileSync('taskset', ['-cp', cores, thread], { stdio: 'ignore' });
      }
    }
    return true;
  } catch {
    return false;
  }
}
