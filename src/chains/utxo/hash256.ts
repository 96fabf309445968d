import { hash } from 'node:crypto';

/** Double SHA-256, in the byte order in which it is hashed on. */
export function hash256(bytes: Uint8Array): Buffer {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** The reversed hex in which hashes and transaction ids are written. */
export function displayHex(digest: Uint8Array): string {
  return Buffer.from(digest.toReversed()).toString('hex');
}

/**
 * Merkle root of transaction ids (in hashing order).
 * Null when two equal neighbours occur, which lets different lists share a root (CVE-2012-2459).
 */
export function merkleRoot(ids: readonly Buffer[]): Buffer | null {
  let level = [...ids];
  const pair = Buffer.allocUnsafe(64);
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const left = level[index];
      const right = level[index + 1] ?? left;
      if (left === undefined || right === undefined) return null;
      if (index + 1 < level.length && left.equals(right)) return null;
      left.copy(pair, 0);
      right.copy(pair, 32);
      next.push(hash256(pair));
    }
    level = next;
  }
  return level[0] ?? null;
}
