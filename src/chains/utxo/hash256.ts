import { hash } from 'node:crypto';
import { numberAt } from '../../domain/key-of-bytes.ts';

/**
 * A digest in the order of hashing, one character per byte: strings can be compared, and node:crypto answers
 * them several times faster than buffers. A block's thousands are hashed elsewhere (BlockMemory).
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

/** The last 32 bits of an id, as it is written: its first bytes here. */
export function digestTail(digest: Digest): number {
  single.write(digest, 'latin1');
  return numberAt(single, 0);
}

/** A digest that stands in serialised bytes. */
export function digestAt(bytes: Buffer, offset: number): Digest {
  return bytes.toString('latin1', offset, offset + DIGEST_BYTES) as Digest;
}

/** The reversed hex in which hashes and transaction ids are written. */
export function displayHex(digest: Digest): string {
  single.write(digest, 'latin1');
  return displayHexAt(single, 0);
}

/** The same for a digest that stands in serialised bytes. */
export function displayHexAt(bytes: Buffer, offset: number): string {
  for (let index = 0; index < DIGEST_BYTES; index += 1) {
    reversed[index] = bytes[offset + DIGEST_BYTES - 1 - index] ?? 0;
  }
  return reversed.toString('hex');
}
