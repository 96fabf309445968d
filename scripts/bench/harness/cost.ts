import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The cost of an operation, in wall-clock time and CPU time of this process. */
export interface Cost {
  readonly ms: number;
  /** User and system time of all threads. */
  readonly cpuMs: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Measures an operation; nothing else may run in this process. Garbage is collected before, so that neither side pays
 * for the other's.
 */
export async function costOf<T>(
  work: () => Promise<T> | T,
): Promise<{ readonly cost: Cost; readonly value: T }> {
  collectGarbage();
  const before = process.cpuUsage();
  const started = performance.now();
  const value = await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { cost: { ms, cpuMs: (user + system) / 1000 }, value };
}
