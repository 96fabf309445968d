import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a piece of work took, by the clock on the wall and by this process's processor time. */
export interface Cost {
  readonly ms: number;
  /** User and system time of all threads. */
  readonly cpuMs: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Does the work and measures it; nothing else may be going on in this process. Garbage is collected before,
 * so that neither side pays for what the other left behind.
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
