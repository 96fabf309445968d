import { ChainError } from '../../../domain/chain.ts';

/** The error for malformed bytes. Offsets are into the block or transaction being read. */
export function malformed(offset: number, problem: string): ChainError {
  return new ChainError('bad_answer', `malformed at byte ${offset}: ${problem}`);
}

/** Cursor over serialised bytes that never reads past their end. */
export class ByteReader {
  readonly bytes: Buffer;
  readonly end: number;
  offset: number;

  constructor(bytes: Buffer, offset = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.offset = offset;
    this.end = end;
  }

  /** Skips `length` bytes and returns their offset. */
  skip(length: number): number {
    const start = this.offset;
    if (length > this.end - start) throw malformed(start, `${length} bytes wanted, ${this.end - start} left`);
    this.offset = start + length;
    return start;
  }

  byte(): number {
    // skip checks the bounds: Buffer's own readers would check them again for every length in a block.
    return this.bytes[this.skip(1)] ?? 0;
  }

  /** Bitcoin's compact size: 1, 3, 5 or 9 bytes. The 9-byte form never occurs within the size of a block. */
  compactSize(): number {
    const start = this.offset;
    const first = this.byte();
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.canonical(start, this.bytes.readUInt16LE(this.skip(2)), 0xfd);
    if (first === 0xfe) return this.canonical(start, this.bytes.readUInt32LE(this.skip(4)), 0x1_0000);
    throw malformed(start, 'a length beyond any block');
  }

  /** An element count, checked against the bytes that remain: each element takes at least `minimumBytes`. */
  count(minimumBytes: number): number {
    const start = this.offset;
    const count = this.compactSize();
    if (count * minimumBytes > this.end - this.offset)
      throw malformed(start, `${count} entries cannot follow`);
    return count;
  }

  private canonical(start: number, value: number, minimum: number): number {
    if (value < minimum) throw malformed(start, 'a length in a longer form than needed');
    return value;
  }
}
