import { ChainError } from '../../../domain/chain.ts';
import { malformed } from './byte-reader.ts';
import { displayHex, displayHexAt, hash256 } from './hash256.ts';

export const HEADER_BYTES = 80;
const PARENT_AT = 4;
const TIME_AT = 68;

/** The requested block as received from the node. */
export interface RawBlock {
  readonly height: number;
  readonly hash: string;
  /** Its hex, as characters. */
  readonly raw: Uint8Array;
}

/** A block with its parsed header. */
export interface OpenBlock {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
}

/**
 * Reads the header of a raw block and checks it against the requested hash. Neither the Merkle root nor the
 * proof of work is checked: the node is trusted for both.
 * @throws {ChainError} bad_answer when it is another block, or not a block
 */
export function openBlock({ raw, hash }: Pick<RawBlock, 'raw' | 'hash'>): OpenBlock {
  const bytes = bytesOfHexText(raw);
  if (bytes.length < HEADER_BYTES) throw malformed(bytes.length, `block ${hash} ends within its header`);
  const found = displayHex(hash256(bytes.subarray(0, HEADER_BYTES)));
  if (found !== hash) throw new ChainError('bad_answer', `asked for block ${hash}, got ${found}`);
  const parentHash = displayHexAt(bytes, PARENT_AT);
  return { bytes, hash, parentHash, timeMs: bytes.readUInt32LE(TIME_AT) * 1000 };
}

/** Hex to bytes; Buffer alone would stop silently at the first bad digit. */
export function bytesOfHex(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw malformed(bytes.length, 'not hex');
  return bytes;
}

/** Characters decoded at a time: a single string of megabytes would cost a garbage collection. */
const PART_CHARS = 65_536;

/** As bytesOfHex, for the text of a whole block. */
function bytesOfHexText(text: Uint8Array): Buffer {
  const chars = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const bytes = Buffer.allocUnsafe(chars.length >>> 1);
  let length = 0;
  for (let at = 0; at < chars.length; at += PART_CHARS) {
    length += bytes.write(chars.toString('latin1', at, at + PART_CHARS), at >>> 1, 'hex');
  }
  if (length * 2 !== chars.length) throw malformed(length, 'not hex');
  return bytes;
}
