import { ChainError, type WatchFilter } from '../../../domain/chain.ts';
import { ByteReader, malformed } from './byte-reader.ts';
import { type Digest, displayHexAt, hash256 } from './hash256.ts';

const VERSION_BYTES = 4;
const LOCKTIME_BYTES = 4;
const OUTPOINT_BYTES = 36;
const SEQUENCE_BYTES = 4;
const AMOUNT_BYTES = 8;
const MIN_INPUT_BYTES = OUTPOINT_BYTES + 1 + SEQUENCE_BYTES;
const MIN_OUTPUT_BYTES = AMOUNT_BYTES + 1;

const WITNESS_FLAG = 0x01;
/** Litecoin (LIP-3): MWEB data may follow the witnesses. */
const MWEB_FLAG = 0x08;

/** The bytes after the outputs differ between a lone transaction and one inside a block. */
export interface TransactionShape {
  readonly mweb: boolean;
  /**
   * A lone transaction ends with the bytes, so MWEB data of any length can be skipped; in a block it must be
   * absent, because it is in the extension block.
   */
  readonly lone: boolean;
}

/**
 * Offsets into one serialised transaction, without decoding, because blocks hold thousands of transactions
 * and few are relevant.
 */
export interface ScannedTransaction {
  readonly start: number;
  readonly end: number;
  /** Start of inputs and outputs with their counts: with version and lock time, the preimage of the txid. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** MWEB flag with no data: Litecoin's HogEx, whose outputs after the first are peg-outs. */
  readonly isHogEx: boolean;
  /** Start of each input (its 36-byte outpoint). */
  readonly inputs: readonly number[];
  /** Start of each output (its 8-byte amount). */
  readonly outputs: readonly number[];
}

/** A transaction with its id, whose hash costs as much as scanning all the rest. */
export type IdentifiedTransaction = ScannedTransaction & { readonly id: Digest };

/**
 * Scans one transaction at the reader's position (BIP-144, LIP-3).
 * @throws {ChainError} bad_answer naming the offset when the bytes are malformed.
 */
export function scanTransaction(reader: ByteReader, shape: TransactionShape): ScannedTransaction {
  const start = reader.skip(VERSION_BYTES);
  const flags = readFlags(reader, shape);
  const bodyStart = reader.offset;
  const inputs = readInputs(reader, flags !== 0);
  const outputs = readOutputs(reader);
  const bodyEnd = reader.offset;
  if ((flags & WITNESS_FLAG) !== 0) skipWitnesses(reader, inputs.length);
  const isHogEx = (flags & MWEB_FLAG) !== 0 && skipMweb(reader, shape);
  reader.skip(LOCKTIME_BYTES);
  return { start, end: reader.offset, bodyStart, bodyEnd, isHogEx, inputs, outputs };
}

/** Scans one transaction outside a block, as returned by getrawtransaction. */
export function scanLoneTransaction(bytes: Buffer, mweb: boolean): IdentifiedTransaction {
  const reader = new ByteReader(bytes);
  const scanned = scanTransaction(reader, { mweb, lone: true });
  if (reader.offset !== bytes.length) throw malformed(reader.offset, 'bytes after the transaction');
  return { ...scanned, id: transactionId(bytes, scanned) };
}

/** The txid of a scanned transaction: its hash without the witness. */
export function transactionId(bytes: Buffer, scanned: ScannedTransaction): Digest {
  const { start, bodyStart, bodyEnd, end } = scanned;
  const stripped = [
    bytes.subarray(start, start + VERSION_BYTES),
    bytes.subarray(bodyStart, bodyEnd),
    bytes.subarray(end - LOCKTIME_BYTES, end),
  ];
  return hash256(Buffer.concat(stripped));
}

function readFlags(reader: ByteReader, shape: TransactionShape): number {
  const { bytes, offset } = reader;
  if (offset + 1 >= reader.end || bytes[offset] !== 0 || bytes[offset + 1] === 0) return 0;
  reader.skip(2);
  const flags = bytes.readUInt8(offset + 1);
  if ((flags & ~knownFlags(shape.mweb)) !== 0) {
    // Never skipped: such a transaction may hold a payment.
    throw new ChainError(
      'unknown_version',
      `unknown transaction flag ${flags} at byte ${offset + 1}: newer than this version of tilld`,
    );
  }
  return flags;
}

/** All known transaction flags. */
function knownFlags(mweb: boolean): number {
  return mweb ? WITNESS_FLAG | MWEB_FLAG : WITNESS_FLAG;
}

function readInputs(reader: ByteReader, mayBeEmpty: boolean): number[] {
  const at = reader.offset;
  const count = reader.count(MIN_INPUT_BYTES);
  if (count === 0 && !mayBeEmpty) throw malformed(at, 'a transaction without inputs');
  const inputs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    inputs.push(reader.skip(OUTPOINT_BYTES));
    reader.skip(reader.compactSize());
    reader.skip(SEQUENCE_BYTES);
  }
  return inputs;
}

function readOutputs(reader: ByteReader): number[] {
  const count = reader.count(MIN_OUTPUT_BYTES);
  const outputs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    outputs.push(reader.skip(AMOUNT_BYTES));
    reader.skip(reader.compactSize());
  }
  return outputs;
}

function skipWitnesses(reader: ByteReader, inputs: number): void {
  for (let index = 0; index < inputs; index += 1) {
    for (let items = reader.count(1); items > 0; items -= 1) reader.skip(reader.compactSize());
  }
}

/** Skips the MWEB part; true if it is empty, which identifies the HogEx transaction. */
function skipMweb(reader: ByteReader, shape: TransactionShape): boolean {
  const at = reader.offset;
  const presence = reader.byte();
  if (presence === 0) return true;
  if (presence !== 1 || !shape.lone) throw malformed(at, `unexpected MWEB marker ${presence}`);
  reader.skip(Math.max(0, reader.end - LOCKTIME_BYTES - reader.offset));
  return false;
}

/** The newest defined transaction version (nVersion): 2 by BIP-68, 3 by TRUC policy (BIP-431). */
const NEWEST_VERSION = 3;

/**
 * Whether a transaction has an undefined version. Consensus allows any (BIP-68 treats them as 2 or
 * more) and miners do include some: only marker and flag would change how it is parsed.
 */
export function hasUnknownVersion(bytes: Buffer, start: number): boolean {
  return bytes.readUInt32LE(start) > NEWEST_VERSION;
}

/** `txid:index` of the output that the input at an offset spends. */
export function outpointAt(bytes: Buffer, inputOffset: number): { txid: string; index: number } {
  return { txid: displayHexAt(bytes, inputOffset), index: bytes.readUInt32LE(inputOffset + 32) };
}

export function outpointKey(bytes: Buffer, inputOffset: number): string {
  return `${displayHexAt(bytes, inputOffset)}:${bytes.readUInt32LE(inputOffset + 32)}`;
}

/** The last 32 bits, in display order, of the spent transaction's id: its first bytes here. */
export function outpointFingerprint(bytes: Buffer, inputOffset: number): number {
  return bytes.readUInt32LE(inputOffset);
}

export function outputAmount(bytes: Buffer, outputOffset: number): bigint {
  return bytes.readBigUInt64LE(outputOffset);
}

/** Script of the output at an offset, as hex; null when it is longer than any address's script. */
export function addressableScript(bytes: Buffer, outputOffset: number): string | null {
  const start = scriptStart(outputOffset);
  const length = addressableLength(bytes, outputOffset);
  return length === 0 ? null : bytes.toString('hex', start, start + length);
}

/** Whether the output at an offset may pay a watched address. */
export function mayPayWatched(watchFilter: WatchFilter, bytes: Buffer, outputOffset: number): boolean {
  const start = scriptStart(outputOffset);
  const length = addressableLength(bytes, outputOffset);
  return length > 0 && watchFilter.mayWatch(bytes, start, start + length);
}

function scriptStart(outputOffset: number): number {
  return outputOffset + AMOUNT_BYTES + 1;
}

/** Length of the script of the output at an offset; 0 if it is longer than any address's script. */
function addressableLength(bytes: Buffer, outputOffset: number): number {
  const length = bytes[outputOffset + AMOUNT_BYTES] ?? 0;
  return length > MAX_ADDRESS_SCRIPT_BYTES || length < MIN_ADDRESS_SCRIPT_BYTES ? 0 : length;
}

/** P2SH is 23 bytes, P2WPKH 22, P2PKH 25, witness programs up to 42. */
const MIN_ADDRESS_SCRIPT_BYTES = 4;
const MAX_ADDRESS_SCRIPT_BYTES = 42;
