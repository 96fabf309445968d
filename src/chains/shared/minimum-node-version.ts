import type { MinimumVersion } from '../../domain/coins/definition.ts';

/** A warning when a node is below its minimum version; null otherwise, also for unknown names (a fork). */
export function outdatedNode(name: string, known: readonly MinimumVersion[]): string | null {
  for (const { pattern, oldest } of known) {
    const numbers = pattern.exec(name)?.[1];
    if (numbers === undefined) continue;
    const version = numbers.split('.').map(Number);
    const differing = oldest.findIndex((part, at) => (version[at] ?? 0) !== part);
    if (differing === -1 || (version[differing] ?? 0) > (oldest[differing] ?? 0)) return null;
    return `the node's version ${numbers} is older than ${oldest.join('.')}, the oldest without known serious faults: upgrade it`;
  }
  return null;
}
