/**
 * Litestream 0.3 numbers write-ahead logs (WAL): a new one begins whenever SQLite begins its file anew. It uploads each in
 * segments. Here are their names, and the form of a WAL.
 * @see https://github.com/benbjohnson/litestream/blob/v0.3.13/litestream.go FormatWALSegmentPath
 * @see https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
import type { GenerationName } from '../litestream.ts';

/** Where a segment begins: byte `offset` of the WAL number `index`. */
export interface WalPosition {
  readonly index: number;
  readonly offset: number;
}

const HEX_DIGITS = 8;
const SEGMENT = /^([0-9a-f]{8})_([0-9a-f]{8})\.wal\.lz4$/;
const SNAPSHOT = /^([0-9a-f]{8})\.snapshot\.lz4$/;

export function walFolder(generation: GenerationName): string {
  return `${folderOf(generation)}/wal`;
}

export function snapshotFolder(generation: GenerationName): string {
  return `${folderOf(generation)}/snapshots`;
}

function folderOf({ epoch, generation }: GenerationName): string {
  return `epoch-${epoch}/generations/${generation}`;
}

export function segmentName({ index, offset }: WalPosition): string {
  return `${walName(index)}_${hex(offset)}.wal.lz4`;
}

/** With this begin the names of a WAL's segments, and the name itself comes before them and after those of earlier WALs. */
export function walName(index: number): string {
  return hex(index);
}

function hex(number: number): string {
  return number.toString(16).padStart(HEX_DIGITS, '0');
}

/** Undefined for the name of another file, such as one that is being written. */
export function parseSegmentName(name: string): WalPosition | undefined {
  const [, index, offset] = SEGMENT.exec(name) ?? [];
  if (index === undefined || offset === undefined) return undefined;
  return { index: Number.parseInt(index, 16), offset: Number.parseInt(offset, 16) };
}

/** The WAL that was being written when a snapshot was taken; undefined for another file. */
export function parseSnapshotName(name: string): number | undefined {
  const [, index] = SNAPSHOT.exec(name) ?? [];
  return index === undefined ? undefined : Number.parseInt(index, 16);
}

export function isSame(a: WalPosition, b: WalPosition): boolean {
  return a.index === b.index && a.offset === b.offset;
}

export function isBefore(a: WalPosition, b: WalPosition): boolean {
  return a.index < b.index || (a.index === b.index && a.offset < b.offset);
}

export const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_SIZE_AT = 8;
const MAGIC = 0x377f0682;

/** How many frames a WAL of this size holds; null for bytes that are none. */
export function countFrames(header: Buffer, size: number): number | null {
  if (header.length < WAL_HEADER_BYTES || size < WAL_HEADER_BYTES) return null;
  // The last bit tells the byte order of the checksums.
  if ((header.readUInt32BE(0) & ~1) !== MAGIC) return null;
  const frames = (size - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + header.readUInt32BE(PAGE_SIZE_AT));
  return Number.isInteger(frames) ? frames : null;
}
