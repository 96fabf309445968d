import { writeFileSync } from 'node:fs';

/**
 * Keeps memory, and with it the seed, out of a core dump of this process, whatever limit it was started with: on Linux no
 * mapping is written to one (core(5), coredump_filter). Elsewhere the limit of the service or the shell has to do.
 */
export function excludeMemoryFromCoreDumps(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Without /proc; the unit, compose and the scripts set the limit.
  }
}
