/** Where in a key the four bytes begin that tell it from others: behind what scripts of one kind have in common. */
const TOLD_AT = 4;
const TOLD_BYTES = 4;

/**
 * A 32-bit number for the bytes between two offsets, by which a sieve tells keys apart: four of them as they are,
 * for scripts and addresses are hashes already. Of shorter ones, all bytes (FNV-1a).
 */
export function keyOfBytes(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < TOLD_AT + TOLD_BYTES) return hashed(bytes, start, end);
  return numberAt(bytes, start + TOLD_AT);
}

/** The 32-bit number, least byte first, at an offset. Buffer's own reader costs several times as much. */
export function numberAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  return (low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
}

function hashed(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}
