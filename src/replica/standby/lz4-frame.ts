import { decompressFrame } from 'lz4-napi';

/** By https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md */
const MAGIC = 0x184d2204;
const FLAGS_AT = 4;
const CONTENT_SIZE_FLAG = 0x08;
const DICTIONARY_FLAG = 0x01;
const BLOCK_CHECKSUM_FLAG = 0x10;
const CONTENT_CHECKSUM_FLAG = 0x04;
/** Magic, flags, block descriptor and the header's checksum. */
const HEADER_BYTES = 7;
const CONTENT_SIZE_BYTES = 8;
const WORD_BYTES = 4;
/** The rest of a block's size tells whether it is compressed. */
const SIZE_MASK = 0x7fffffff;

/** A frame that is not whole: its end is missing, or it is damaged. */
export type NotWhole = 'cut off' | 'damaged';

/** What one LZ4 frame holds. */
export async function unpackFrame(frame: Buffer): Promise<Buffer | NotWhole> {
  // The library takes a frame that ends after any of its blocks.
  const problem = problemOf(frame);
  return problem ?? decompressFrame(frame).catch((): NotWhole => 'damaged');
}

/** Null for a frame with its end mark and, behind it, nothing but the checksum. */
function problemOf(frame: Buffer): NotWhole | null {
  if (frame.length < HEADER_BYTES) return 'cut off';
  if (frame.readUInt32LE(0) !== MAGIC) return 'damaged';
  const flags = frame.readUInt8(FLAGS_AT);
  const trailer = (flags & CONTENT_CHECKSUM_FLAG) === 0 ? 0 : WORD_BYTES;
  const blockTrailer = (flags & BLOCK_CHECKSUM_FLAG) === 0 ? 0 : WORD_BYTES;
  let at = HEADER_BYTES;
  if ((flags & CONTENT_SIZE_FLAG) !== 0) at += CONTENT_SIZE_BYTES;
  if ((flags & DICTIONARY_FLAG) !== 0) at += WORD_BYTES;
  while (at + WORD_BYTES <= frame.length) {
    const size = frame.readUInt32LE(at);
    at += WORD_BYTES;
    if (size === 0) return endProblem(frame.length - at - trailer);
    at += (size & SIZE_MASK) + blockTrailer;
  }
  return 'cut off';
}

function endProblem(surplus: number): NotWhole | null {
  if (surplus === 0) return null;
  return surplus < 0 ? 'cut off' : 'damaged';
}
