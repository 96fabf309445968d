import { DIGEST_BYTES, HEX_STEP } from './block-layout.ts';
import { digestAt } from './hash256.ts';
import { merkleRootOf } from './merkle-root.ts';

/** Every byte in both cases of letters; some steps of the decoder. */
export const SAMPLE_BYTES = 768;

/** What is no digit: below and above the figures, the capitals and the small letters. */
const NO_DIGITS = ['/', ':', '@', 'G', '`', 'g', '\u0000', '\u00ff'];

/** Of a BlockMemory with room for the sample. */
interface Tried {
  readonly room: { block(length: number): Buffer };
  takeHex(text: Uint8Array, from: number, end: number): void;
  merkleRoot(ids: Uint8Array): Buffer | null;
}

/**
 * Whether a module does with a sample what it is to do with blocks: what it decodes wrongly it would hash wrongly, and
 * OpenSSL as well, so that a chain would stand still for it.
 */
export function isRight(memory: Tried): boolean {
  const bytes = Buffer.from(Array.from({ length: SAMPLE_BYTES }, (_, at) => (at + 7 * (at >> 8)) & 0xff));
  const small = bytes.toString('hex');
  const text = Buffer.from(`${small.slice(0, SAMPLE_BYTES)}${small.slice(SAMPLE_BYTES).toUpperCase()}`);
  if (!isHex(memory, text) || !memory.room.block(SAMPLE_BYTES).equals(bytes)) return false;
  const isFooled = text.subarray(0, 2 * HEX_STEP).some((digit, at) => {
    text[at] = (NO_DIGITS[at % NO_DIGITS.length] ?? '').charCodeAt(0);
    const isTaken = isHex(memory, text);
    text[at] = digit;
    return isTaken;
  });
  if (isFooled) return false;
  const digests = Array.from({ length: SAMPLE_BYTES / DIGEST_BYTES }, (_, at) =>
    digestAt(bytes, at * DIGEST_BYTES),
  );
  const root = memory.merkleRoot(bytes);
  return root !== null && digestAt(root, 0) === merkleRootOf(digests);
}

function isHex(memory: Tried, text: Uint8Array): boolean {
  try {
    memory.takeHex(text, 0, text.length);
    return true;
  } catch {
    return false;
  }
}
