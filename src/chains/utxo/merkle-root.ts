import { type Digest, hash256 } from './hash256.ts';

/**
 * Merkle root of ids in the order of hashing, by node:crypto: for a large block, BlockMemory is several times as fast.
 * Null when two equal neighbours occur, which lets different lists share a root (CVE-2012-2459), or when there are no ids.
 */
export function merkleRootOf(ids: readonly Digest[]): Digest | null {
  let level = ids;
  while (level.length > 1) {
    const next: Digest[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left = '', right] = level.slice(at, at + 2);
      if (left === right) return null;
      // The last one of an odd number stands beside itself.
      next.push(hash256(Buffer.from(`${left}${right ?? left}`, 'latin1')));
    }
    level = next;
  }
  return level[0] ?? null;
}
