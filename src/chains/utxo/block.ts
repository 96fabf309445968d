import { ChainError } from '../../domain/chain.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { digestAt, displayHex, displayHexAt, hash256, merkleRoot } from './hash256.ts';
import { type ScannedTransaction, scanTransaction } from './transaction.ts';

const HEADER_BYTES = 80;
const PARENT_AT = 4;
const MERKLE_ROOT_AT = 36;
const TIME_AT = 68;
const MIN_TRANSACTION_BYTES = 10;

export interface ScannedBlock {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
  readonly transactions: readonly ScannedTransaction[];
}

/**
 * Reads a raw block and proves that it is the one asked for: header hash and merkle root.
 * Bytes after the last transaction (Litecoin's extension block) are left alone where MWEB exists.
 * @throws {ChainError} bad_answer when anything does not fit; nothing is ever skipped.
 */
export function scanBlock(bytes: Buffer, expectedHash: string, mweb: boolean): ScannedBlock {
  const reader = new ByteReader(bytes);
  reader.skip(HEADER_BYTES);
  const hash = displayHex(hash256(bytes.subarray(0, HEADER_BYTES)));
  if (hash !== expectedHash) {
    throw new ChainError('bad_answer', `asked for block ${expectedHash}, got ${hash}`);
  }
  const count = reader.count(MIN_TRANSACTION_BYTES);
  if (count === 0) throw malformed(HEADER_BYTES, `block ${hash} has no transactions`);
  const transactions: ScannedTransaction[] = [];
  for (let index = 0; index < count; index += 1) {
    transactions.push(scanTransaction(reader, { mweb, lone: false }));
  }
  if (!mweb && reader.offset !== bytes.length)
    throw malformed(reader.offset, 'bytes after the last transaction');
  const root = merkleRoot(transactions.map(({ id }) => id));
  if (root === null || root !== digestAt(bytes, MERKLE_ROOT_AT)) {
    throw new ChainError('bad_answer', `block ${hash}: the transactions do not match its merkle root`);
  }
  return {
    bytes,
    hash,
    parentHash: displayHexAt(bytes, PARENT_AT),
    timeMs: bytes.readUInt32LE(TIME_AT) * 1000,
    transactions,
  };
}

/** Hex to bytes; Buffer alone would stop silently at the first bad digit. */
export function bytesOfHex(hex: string): Buffer {
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length * 2 !== hex.length) throw malformed(bytes.length, 'not hex');
  return bytes;
}
