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

/** What one LZ4 frame holds; no bytes at all hold nothing, as for Litestream. */
export async function unpackFrame(frame: Buffer): Promise<Buffer | NotWhole> {
  if (frame.length === 0) return frame;
  // The library takes a frame that ends after any of its blocks.
  if (!isComplete(frame)) return 'cut off';
  return decompressFrame(frame).catch((): NotWhole => 'damaged');
}

/** Whether a frame has its end mark and, behind it, nothing but the checksum. */
function isComplete(frame: Buffer): boolean {
  if (frame.length < HEADER_BYTES || frame.readUInt32LE(0) !== MAGIC) return false;
  const flags = frame.readUInt8(FLAGS_AT);
  const trailer = (flags & CONTENT_CHECKSUM_FLAG) === 0 ? 0 : WORD_BYTES;
  const blockTrailer = (flags & BLOCK_CHECKSUM_FLAG) === 0 ? 0 : WORD_BYTES;
  let at = HEADER_BYTES;
  if ((flags & CONTENT_SIZE_FLAG) !== 0) at += CONTENT_SIZE_BYTES;
  if ((flags & DICTIONARY_FLAG) !== 0) at += WORD_BYTES;
  while (at + WORD_BYTES <= frame.length) {
    const size = frame.readUInt32LE(at);
    at += WORD_BYTES;
    if (size === 0) return at + trailer === frame.length;
    at += (size & SIZE_MASK) + blockTrailer;
  }
  return false;
}
