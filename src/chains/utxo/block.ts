import { ChainError } from '../../domain/chain.ts';
import { BlockMemory, type Scanned } from './block-memory.ts';
import { type BlockTable, countOf, fill, rowAt, sizesOf, tableAt, tableBytes } from './block-table.ts';
import { type Hashable, newClaims, ProofShare } from './block-proof.ts';
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
/** The next block may be a little larger. */
const SPARE_ROOM = 1.1;

/** A block taken apart, its bytes and its table in one flat buffer, which threads hand over without a copy. */
export interface FlatBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** That of the header: of the block that was asked for. */
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
  /** Transactions of a version without a meaning. */
  readonly oddVersions: number;
  readonly table: BlockTable;
}

export interface ScannedBlock extends Omit<FlatBlock, 'bytes' | 'table'> {
  readonly bytes: Buffer<ArrayBuffer>;
  readonly transactions: BlockTransactions;
  /** Settles once the transactions were held against the header's merkle root, with a ChainError when they are others; null when they were. */
  readonly proof: Promise<void> | null;
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

/** Lets the transactions of a flat block be looked at. */
export function unfolded({ bytes, table, ...rest }: FlatBlock, proof: ScannedBlock['proof']): ScannedBlock {
  const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { ...rest, bytes: own, transactions: new BlockTransactions(own, table), proof };
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
  const { block, hashable, merkleRoot } = opened(memory, memory.takeBytes(bytes), {
    hash: expectedHash,
    mweb,
    room: null,
  });
  proveAlone(hashable, { hash: expectedHash, merkleRoot });
  return unfolded(block, null);
}

/**
 * The same from the characters of its hex, but for what takes longest, the hashing of all transactions: to be done
 * before the next block is read.
 * @param room where bytes and table of the block are put, if it is large enough; in new memory otherwise
 */
export function openHexBlock(
  text: Uint8Array<ArrayBuffer>,
  expected: { readonly hash: string; readonly mweb: boolean; readonly room: ArrayBuffer | null },
): OpenBlock {
  memory ??= new BlockMemory();
  return opened(memory, memory.takeHex(text), expected);
}

interface OpenBlock {
  readonly block: FlatBlock;
  /** The same in this thread's own memory. */
  readonly hashable: Hashable;
  /** What the header commits to. */
  readonly merkleRoot: Digest;
}

/** Proves a block in this thread. @throws {ChainError} bad_answer when the header does not commit to these transactions. */
export function proveAlone(
  hashable: Hashable,
  header: { readonly hash: string; readonly merkleRoot: Digest },
): void {
  const share = new ProofShare(hashable, newClaims());
  share.finish();
  share.conclude(new Map(), header);
}

/** What the header of a block commits to. */
export function merkleRootOf(bytes: Uint8Array): Digest {
  return digestAt(Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_BYTES), MERKLE_ROOT_AT);
}

function opened(
  memory: BlockMemory,
  bytes: Buffer,
  expected: { readonly hash: string; readonly mweb: boolean; readonly room: ArrayBuffer | null },
): OpenBlock {
  const { mweb, room } = expected;
  const reader = new ByteReader(bytes);
  reader.skip(HEADER_BYTES);
  const hash = displayHex(hash256(bytes.subarray(0, HEADER_BYTES)));
  if (hash !== expected.hash) {
    throw new ChainError('bad_answer', `asked for block ${expected.hash}, got ${hash}`);
  }
  const count = reader.count(MIN_TRANSACTION_BYTES);
  if (count === 0) throw malformed(HEADER_BYTES, `block ${hash} has no transactions`);
  const scanned = memory.scan(reader.offset, count, knownFlags(mweb)) ?? scannedOneByOne(reader, count, mweb);
  const { end, oddVersions } = scanned;
  if (!mweb && end !== bytes.length) throw malformed(end, 'bytes after the last transaction');
  const parentHash = displayHexAt(bytes, PARENT_AT);
  const timeMs = bytes.readUInt32LE(TIME_AT) * 1000;
  const { table, own } = putInto(room, bytes, scanned);
  const block = { bytes: own, hash, parentHash, timeMs, oddVersions, table };
  return { block, hashable: { bytes, table: scanned.here }, merkleRoot: merkleRootOf(bytes) };
}

/** Slower than BlockMemory, and able to say what is wrong with a transaction. */
function scannedOneByOne(reader: ByteReader, count: number, mweb: boolean): Scanned {
  const { bytes } = reader;
  const writer = new RowWriter(Math.ceil(bytes.length / BYTES_PER_NUMBER));
  let oddVersions = 0;
  for (let index = 0; index < count; index += 1) {
    const start = reader.offset;
    scanTransaction(reader, { mweb, lone: false }, writer);
    if (hasOddVersion(bytes, start)) oddVersions += 1;
  }
  const rows = writer.rows();
  const sizes = sizesOf(rows, count);
  const own = tableAt(new ArrayBuffer(tableBytes(sizes)), 0, sizes);
  fill(own, bytes, rows);
  const copy = (table: BlockTable): void => {
    table.rows.set(own.rows);
    table.places.set(own.places);
    table.outputKeys.set(own.outputKeys);
    table.inputTails.set(own.inputTails);
  };
  return { sizes, here: own, fill: copy, end: reader.offset, oddVersions };
}

/** Copies what was read out of the memory in which the next block will be. */
function putInto(
  room: ArrayBuffer | null,
  bytes: Buffer,
  scanned: Scanned,
): { readonly table: BlockTable; readonly own: Uint8Array<ArrayBuffer> } {
  const bytesAt = tableBytes(scanned.sizes);
  const size = bytesAt + bytes.length;
  const home =
    room !== null && room.byteLength >= size ? room : new ArrayBuffer(Math.ceil(size * SPARE_ROOM));
  const table = tableAt(home, 0, scanned.sizes);
  scanned.fill(table);
  const own = new Uint8Array(home, bytesAt, bytes.length);
  own.set(bytes);
  return { table, own };
}

/** Hex to bytes; Buffer alone would stop silently at the first bad digit. */
export function bytesOfHex(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw malformed(bytes.length, 'not hex');
  return bytes;
}
