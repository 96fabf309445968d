import { ChainError } from '../../domain/chain.ts';
import { TEXT_BYTES } from './block-layout.ts';
import type { BlockMemory, Scanned } from './block-memory.ts';
import { type BlockTable, countOf, fill, rowAt, sizesOf } from './block-table.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { type Digest, digestAt, displayHex, displayHexAt, hash256 } from './hash256.ts';
import { RowReader, RowWriter, type ScannedTransaction } from './transaction-rows.ts';
import { hasOddVersion, knownFlags, scanTransaction, transactionId } from './transaction.ts';

const HEADER_BYTES = 80;
const PARENT_AT = 4;
const MERKLE_ROOT_AT = 36;
const TIME_AT = 68;
const MIN_TRANSACTION_BYTES = 10;
/** Bytes of a block for each number in the rows of its transactions, roughly. */
const BYTES_PER_NUMBER = 24;
/** A block is read in so many parts at most: other threads begin with the first before the last is read. */
const PARTS = 8;

/** A raw block to be read. */
export interface BlockOrder {
  /** The characters of its hex. */
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly mweb: boolean;
}

export interface ScannedBlock {
  readonly bytes: Buffer;
  /** That of the header: of the block that was asked for. */
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
  /** Transactions of a version without a meaning. */
  readonly oddVersions: number;
  readonly transactions: BlockTransactions;
  /**
   * Holds the transactions against the header's merkle root, with a ChainError when they are others: to be asked once
   * there is nothing else to be done. Null when they were held against it.
   */
  readonly proof: (() => Promise<void>) | null;
}

/** A block's transactions: thousands, of which few are ever looked at. */
export class BlockTransactions {
  readonly table: BlockTable;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, table: BlockTable) {
    this.table = table;
    this.#bytes = bytes;
  }

  get length(): number {
    return countOf(this.table);
  }

  id(position: number): Digest {
    return transactionId(this.#bytes, this.#row(position));
  }

  at(position: number): ScannedTransaction {
    return this.#row(position).transaction(this.id(position));
  }

  map<T>(work: (transaction: ScannedTransaction, position: number) => T): T[] {
    return Array.from({ length: this.length }, (_, position) => work(this.at(position), position));
  }

  #row(position: number): RowReader {
    return new RowReader(this.table.rows, rowAt(this.table, position));
  }
}

/** A block of which the beginning was read. */
export interface OpenBlock {
  readonly order: BlockOrder;
  readonly memory: BlockMemory;
  /** The place of all its bytes. */
  readonly bytes: Buffer;
  /** Characters of each of its parts, of which the first was taken in. */
  readonly part: number;
  /** How many transactions it has. */
  readonly count: number;
  /** What the header commits to. */
  readonly merkleRoot: Digest;
}

/**
 * Reads the beginning of a raw block into a room in which nobody is at work, and proves that it is the one asked for.
 * From then on, other threads may wait for its transactions.
 * @throws {ChainError} bad_answer when it is another, or none
 */
export function openBlock(memory: BlockMemory, order: BlockOrder): OpenBlock {
  const { raw, hash: expected, mweb } = order;
  const { length } = raw;
  const part = Math.ceil(length / PARTS / TEXT_BYTES) * TEXT_BYTES;
  memory.takeHex(raw, 0, Math.min(part, length));
  const bytes = memory.room.block(length / 2);
  const reader = new ByteReader(bytes);
  reader.skip(HEADER_BYTES);
  const hash = displayHex(hash256(bytes.subarray(0, HEADER_BYTES)));
  if (hash !== expected) throw new ChainError('bad_answer', `asked for block ${expected}, got ${hash}`);
  const count = reader.count(MIN_TRANSACTION_BYTES);
  if (count === 0) throw malformed(HEADER_BYTES, `block ${hash} has no transactions`);
  memory.room.begin(count);
  memory.beginScan(reader.offset, count, knownFlags(mweb));
  return { order, memory, bytes, part, count, merkleRoot: digestAt(bytes, MERKLE_ROOT_AT) };
}

/**
 * Reads the rest: all but what takes longest, the hashing of all transactions. The block stays as it is until the next
 * one is read into its room.
 * @throws {ChainError} bad_answer when anything does not fit; nothing is ever skipped.
 */
export function readRest(open: OpenBlock): Omit<ScannedBlock, 'proof'> {
  const { order, memory, bytes, count, part } = open;
  const { raw, hash, mweb } = order;
  let left = count;
  for (let at = 0; at < raw.length; at += part) {
    const partEnd = Math.min(at + part, raw.length);
    if (at > 0) memory.takeHex(raw, at, partEnd);
    if (left > 0) left = memory.scan(partEnd / 2);
    memory.room.publish(count - left);
  }
  const { sizes, end, oddVersions } = left === 0 ? memory.scanned() : scannedOneByOne(open);
  if (!mweb && end !== bytes.length) throw malformed(end, 'bytes after the last transaction');
  const transactions = new BlockTransactions(bytes, memory.room.table(sizes));
  const parentHash = displayHexAt(bytes, PARENT_AT);
  const timeMs = bytes.readUInt32LE(TIME_AT) * 1000;
  return { bytes, hash, parentHash, timeMs, oddVersions, transactions };
}

/** Slower than BlockMemory, and able to say what is wrong with a transaction. */
function scannedOneByOne({ order: { mweb }, memory: { room }, bytes, count }: OpenBlock): Scanned {
  const reader = new ByteReader(bytes, HEADER_BYTES);
  reader.compactSize();
  const writer = new RowWriter(Math.ceil(bytes.length / BYTES_PER_NUMBER));
  let oddVersions = 0;
  for (let index = 0; index < count; index += 1) {
    const start = reader.offset;
    scanTransaction(reader, { mweb, lone: false }, writer);
    if (hasOddVersion(bytes, start)) oddVersions += 1;
  }
  const rows = writer.rows();
  const sizes = sizesOf(rows, count);
  fill(room.table(sizes), bytes, rows);
  room.publish(count);
  return { sizes, end: reader.offset, oddVersions };
}

/** Hex to bytes; Buffer alone would stop silently at the first bad digit. */
export function bytesOfHex(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw malformed(bytes.length, 'not hex');
  return bytes;
}
