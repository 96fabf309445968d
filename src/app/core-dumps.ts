import { writeFileSync } from 'node:fs';

/**
 * Excludes memory, and with it the seed, from core dumps of this process, independent of the limit it was
 * started with: on Linux no mapping is written to one (core(5), coredump_filter). Elsewhere the limit of the
 * service or the shell must suffice.
 */
export function excludeMemoryFromCoreDumps(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Without /proc; the unit, compose and the scripts set the limit.
  }
}
