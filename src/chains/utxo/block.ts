import { ChainError } from '../../domain/chain.ts';
import { BlockMemory, type Scanned } from './block-memory.ts';
import { type BlockTable, countOf, rowAt, tableOf } from './block-table.ts';
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

/** A block taken apart, in two flat buffers, which threads hand over without a copy. */
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

/**
 * Gives the memory of a block that came from a thread back at once; nothing of it can be looked at any more. Left to
 * the collector, some megabytes for each block would make it collect the whole heap every few blocks.
 */
export function release({ bytes, transactions, proof }: ScannedBlock): void {
  // What was read on the spot may share its memory with others.
  if (proof === null) return;
  bytes.buffer.transfer(0);
  transactions.table.rows.buffer.transfer(0);
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
  const taken = memory.takeBytes(bytes);
  const own = new Uint8Array(bytes.length);
  const { block, prove } = opened(memory, taken, { hash: expectedHash, mweb, own });
  prove();
  return unfolded(block, null);
}

/**
 * The same from the characters of its hex, in whose memory the bytes are left: it is this function's own.
 * `prove` does what takes longest, the hashing of all transactions: to be called before the next block is read.
 */
export function openHexBlock(text: Uint8Array<ArrayBuffer>, expectedHash: string, mweb: boolean): OpenBlock {
  memory ??= new BlockMemory();
  return opened(memory, memory.takeHex(text), { hash: expectedHash, mweb, own: text });
}

interface OpenBlock {
  readonly block: FlatBlock;
  /** @throws {ChainError} bad_answer when the header does not commit to these transactions. */
  readonly prove: () => void;
}

function opened(
  memory: BlockMemory,
  bytes: Buffer,
  expected: { readonly hash: string; readonly mweb: boolean; readonly own: Uint8Array<ArrayBuffer> },
): OpenBlock {
  const { mweb, own } = expected;
  const reader = new ByteReader(bytes);
  reader.skip(HEADER_BYTES);
  const hash = displayHex(hash256(bytes.subarray(0, HEADER_BYTES)));
  if (hash !== expected.hash) {
    throw new ChainError('bad_answer', `asked for block ${expected.hash}, got ${hash}`);
  }
  const count = reader.count(MIN_TRANSACTION_BYTES);
  if (count === 0) throw malformed(HEADER_BYTES, `block ${hash} has no transactions`);
  const scanned = memory.scan(reader.offset, count, knownFlags(mweb));
  const { table, end, oddVersions } = scanned ?? scannedOneByOne(reader, count, mweb);
  if (!mweb && end !== bytes.length) throw malformed(end, 'bytes after the last transaction');
  const root = digestAt(bytes, MERKLE_ROOT_AT);
  const parentHash = displayHexAt(bytes, PARENT_AT);
  const timeMs = bytes.readUInt32LE(TIME_AT) * 1000;
  own.set(bytes);
  const block = { bytes: own.subarray(0, bytes.length), hash, parentHash, timeMs, oddVersions, table };
  // The table may be handed over before they are needed.
  const rows = scanned === null ? table.rows.slice() : null;
  const prove = (): void => {
    const found = memory.merkleRoot(memory.ids(rows, count));
    if (found !== null && digestAt(found, 0) === root) return;
    throw new ChainError('bad_answer', `block ${hash}: the transactions do not match its merkle root`);
  };
  return { block, prove };
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
  return { table: tableOf(bytes, writer.rows(), count), end: reader.offset, oddVersions };
}

/** Hex to bytes; Buffer alone would stop silently at the first bad digit. */
export function bytesOfHex(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw malformed(bytes.length, 'not hex');
  return bytes;
}
