import { hash } from 'node:crypto';

/**
 * A digest in hash byte order, one character per byte: strings can be compared, and node:crypto returns
 * them several times faster than buffers.
 */
export type Digest = string & { readonly __brand: 'Digest' };

const DIGEST_BYTES = 32;
const single = Buffer.alloc(DIGEST_BYTES);
const reversed = Buffer.alloc(DIGEST_BYTES);

/** Double SHA-256. */
export function hash256(bytes: Uint8Array): Digest {
  single.write(hash('sha256', bytes, 'binary'), 'latin1');
  return hash('sha256', single, 'binary') as Digest;
}

/** The last 32 bits of an id in display order, which are its first bytes here. */
export function digestFingerprint(digest: Digest): number {
  single.write(digest, 'latin1');
  return single.readUInt32LE(0);
}

/** The reversed hex in which hashes and transaction ids are displayed. */
export function displayHex(digest: Digest): string {
  single.write(digest, 'latin1');
  return displayHexAt(single, 0);
}

/** The same for a digest inside serialised bytes. */
export function displayHexAt(bytes: Buffer, offset: number): string {
  for (let index = 0; index < DIGEST_BYTES; index += 1) {
    reversed[index] = bytes[offset + DIGEST_BYTES - 1 - index] ?? 0;
  }
  return reversed.toString('hex');
}
