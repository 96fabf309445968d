import { ChainError } from '../../domain/chain.ts';
import { BlockMemory } from './block-memory.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { type Digest, digestAt, displayHex, displayHexAt, hash256 } from './hash256.ts';
import { RowReader, RowWriter, type ScannedTransaction } from './transaction-rows.ts';
import { hasOddVersion, scanTransaction } from './transaction.ts';

const HEADER_BYTES = 80;
const PARENT_AT = 4;
const MERKLE_ROOT_AT = 36;
const TIME_AT = 68;
const DIGEST_BYTES = 32;
const MIN_TRANSACTION_BYTES = 10;
/** Bytes of a block for each number in the rows of its transactions, roughly. */
const BYTES_PER_NUMBER = 24;

/** A proven block in a few flat buffers, which threads hand over without a copy. */
export interface FlatBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
  /** Transactions of a version without a meaning. */
  readonly oddVersions: number;
  /** The ids one after the other, in the order of hashing. */
  readonly ids: Uint8Array<ArrayBuffer>;
  /** See RowReader. */
  readonly rows: Int32Array<ArrayBuffer>;
}

export interface ScannedBlock extends Omit<FlatBlock, 'bytes' | 'ids' | 'rows'> {
  readonly bytes: Buffer;
  readonly transactions: BlockTransactions;
}

/** A block's transactions: thousands, of which few are ever looked at. */
export class BlockTransactions {
  readonly ids: Buffer;
  readonly rows: Int32Array;

  constructor(ids: Buffer, rows: Int32Array) {
    this.ids = ids;
    this.rows = rows;
  }

  get length(): number {
    return this.ids.length / DIGEST_BYTES;
  }

  id(position: number): Digest {
    return digestAt(this.ids, position * DIGEST_BYTES);
  }

  map<T>(work: (transaction: ScannedTransaction, position: number) => T): T[] {
    const row = new RowReader(this.rows);
    return Array.from({ length: this.length }, (_, position) => {
      const transaction = row.transaction(this.id(position));
      row.next();
      return work(transaction, position);
    });
  }
}

/** Lets the transactions of a flat block be looked at. */
export function unfolded({ bytes, ids, rows, ...rest }: FlatBlock): ScannedBlock {
  return { ...rest, bytes: bufferOver(bytes), transactions: new BlockTransactions(bufferOver(ids), rows) };
}

/** What blocks are proven in, one after the other: made when it is first needed, kept for the next. */
let memory: BlockMemory | null = null;

/**
 * Reads a raw block and proves that it is the one asked for: header hash and merkle root.
 * Bytes after the last transaction (Litecoin's extension block) are left alone where MWEB exists.
 * @throws {ChainError} bad_answer when anything does not fit; nothing is ever skipped.
 */
export function scanBlock(bytes: Buffer, expectedHash: string, mweb: boolean): ScannedBlock {
  memory ??= new BlockMemory();
  return unfolded(proven(memory, memory.takeBytes(bytes), { hash: expectedHash, mweb }));
}

/** The same from the characters of its hex. */
export function scanHexBlock(text: Uint8Array, expectedHash: string, mweb: boolean): FlatBlock {
  memory ??= new BlockMemory();
  return proven(memory, memory.takeHex(text), { hash: expectedHash, mweb });
}

function proven(
  memory: BlockMemory,
  bytes: Buffer,
  expected: { readonly hash: string; readonly mweb: boolean },
): FlatBlock {
  const { mweb } = expected;
  const reader = new ByteReader(bytes);
  reader.skip(HEADER_BYTES);
  const hash = displayHex(hash256(bytes.subarray(0, HEADER_BYTES)));
  if (hash !== expected.hash) {
    throw new ChainError('bad_answer', `asked for block ${expected.hash}, got ${hash}`);
  }
  const count = reader.count(MIN_TRANSACTION_BYTES);
  if (count === 0) throw malformed(HEADER_BYTES, `block ${hash} has no transactions`);
  const writer = new RowWriter(Math.ceil(bytes.length / BYTES_PER_NUMBER));
  let oddVersions = 0;
  for (let index = 0; index < count; index += 1) {
    const start = reader.offset;
    scanTransaction(reader, { mweb, lone: false }, writer);
    if (hasOddVersion(bytes, start)) oddVersions += 1;
  }
  if (!mweb && reader.offset !== bytes.length)
    throw malformed(reader.offset, 'bytes after the last transaction');
  // What is needed of the memory is taken from it before it grows for the hashes.
  const root = digestAt(bytes, MERKLE_ROOT_AT);
  const parentHash = displayHexAt(bytes, PARENT_AT);
  const timeMs = bytes.readUInt32LE(TIME_AT) * 1000;
  const own = new Uint8Array(bytes);
  const rows = new Int32Array(writer.rows());
  const ids = memory.ids(rows, count);
  const found = memory.merkleRoot(ids);
  if (found === null || digestAt(found, 0) !== root) {
    throw new ChainError('bad_answer', `block ${hash}: the transactions do not match its merkle root`);
  }
  return { bytes: own, hash, parentHash, timeMs, oddVersions, ids, rows };
}

/** Hex to bytes; Buffer alone would stop silently at the first bad digit. */
export function bytesOfHex(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw malformed(bytes.length, 'not hex');
  return bytes;
}

function bufferOver(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
