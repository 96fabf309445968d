/** Serialises transactions and blocks the long way, independently of the scanner under test; and has them scanned. */
import { createHash } from 'node:crypto';
import { RawTx } from '@scure/btc-signer';
import { openBlock, type OpenBlock } from '../../../../src/chains/utxo/blocks/block.ts';
import { type PrefilteredBlock, prefilterBlock } from '../../../../src/chains/utxo/blocks/prefilter-block.ts';

export interface TestInput {
  readonly txid: string;
  readonly index: number;
  readonly script?: Uint8Array;
  readonly witness?: readonly Uint8Array[];
}

export interface TestOutput {
  readonly amount: bigint;
  readonly script: Uint8Array;
}

export interface TestTransaction {
  readonly inputs: readonly TestInput[];
  readonly outputs: readonly TestOutput[];
}

/** By the library's own coder. A transaction with any witness is written in the BIP-144 form. */
export function encodeTransaction(transaction: TestTransaction): Buffer {
  const segwit = transaction.inputs.some(({ witness = [] }) => witness.length > 0);
  return Buffer.from(
    RawTx.encode({
      version: 2,
      segwitFlag: segwit,
      inputs: transaction.inputs.map(({ txid, index, script = new Uint8Array() }) => ({
        txid: Buffer.from(txid, 'hex'),
        index,
        finalScriptSig: script,
        sequence: 0xfffffffd,
      })),
      outputs: transaction.outputs.map(({ amount, script }) => ({ amount, script })),
      ...(segwit ? { witnesses: transaction.inputs.map(({ witness = [] }) => [...witness]) } : {}),
      lockTime: 0,
    }),
  );
}

/** Adds Litecoin's MWEB flag to a legacy serialisation, with this data in the MWEB place. */
export function withMweb(legacy: Buffer, mweb: Uint8Array): Buffer {
  return Buffer.concat([
    legacy.subarray(0, 4),
    Buffer.from([0x00, 0x08]),
    legacy.subarray(4, -4),
    mweb,
    legacy.subarray(-4),
  ]);
}

/** Transaction id by the library: the legacy form hashed twice. */
export function txidOf(transaction: TestTransaction): string {
  const stripped = encodeTransaction({
    ...transaction,
    inputs: transaction.inputs.map(({ txid, index, script = new Uint8Array() }) => ({ txid, index, script })),
  });
  return Buffer.from(doubleSha(stripped).toReversed()).toString('hex');
}

export function doubleSha(bytes: Uint8Array): Buffer {
  const once = createHash('sha256').update(bytes).digest();
  return createHash('sha256').update(once).digest();
}

export const COINBASE: TestTransaction = {
  inputs: [{ txid: '00'.repeat(32), index: 0xffffffff, script: Buffer.from('03a1b2c3', 'hex') }],
  outputs: [{ amount: 5_000_000_000n, script: p2wpkh('c0'.repeat(20)) }],
};

export function p2wpkh(hash: string): Buffer {
  return Buffer.from(`0014${hash}`, 'hex');
}

export interface TestBlock {
  readonly bytes: Buffer;
  readonly hash: string;
}

export interface BlockParts {
  readonly transactions: readonly Buffer[];
  /** In display order; computed from legacy forms by the caller. */
  readonly txids: readonly string[];
  readonly parentHash?: string;
  readonly version?: number;
  readonly time?: number;
  readonly bits?: number;
  readonly nonce?: number;
  readonly trailer?: Uint8Array;
}

export function encodeBlock(parts: BlockParts): TestBlock {
  const header = Buffer.alloc(80);
  header.writeInt32LE(parts.version ?? 0x20000000, 0);
  header.set(Buffer.from(parts.parentHash ?? '11'.repeat(32), 'hex').toReversed(), 4);
  merkle(parts.txids.map((txid) => Buffer.from(Buffer.from(txid, 'hex').toReversed()))).copy(header, 36);
  header.writeUInt32LE(parts.time ?? 1_700_000_000, 68);
  header.writeUInt32LE(parts.bits ?? 0x207fffff, 72);
  header.writeUInt32LE(parts.nonce ?? 0, 76);
  const bytes = Buffer.concat([
    header,
    compactSize(parts.transactions.length),
    ...parts.transactions,
    parts.trailer ?? Buffer.alloc(0),
  ]);
  return { bytes, hash: Buffer.from(doubleSha(header).toReversed()).toString('hex') };
}

export function blockOf(transactions: readonly TestTransaction[]): TestBlock {
  return encodeBlock({ transactions: transactions.map(encodeTransaction), txids: transactions.map(txidOf) });
}

/** A block read from its hex, as a node sends it. */
export function opened({ bytes, hash }: TestBlock): OpenBlock {
  return openBlock({ raw: Buffer.from(bytes.toString('hex')), hash });
}

/** All that a block holds. */
export function scanBlock(bytes: Buffer, hash: string, mweb: boolean): OpenBlock & PrefilteredBlock {
  const block = opened({ bytes, hash });
  return { ...block, ...prefilterBlock(block, mweb, null) };
}

function merkle(ids: readonly Buffer[]): Buffer {
  if (ids.length === 1) return ids[0]!;
  const next: Buffer[] = [];
  for (let at = 0; at < ids.length; at += 2) {
    next.push(doubleSha(Buffer.concat([ids[at]!, ids[at + 1] ?? ids[at]!])));
  }
  return merkle(next);
}

function compactSize(value: number): Buffer {
  if (value < 0xfd) return Buffer.from([value]);
  const bytes = Buffer.alloc(value <= 0xffff ? 3 : 5);
  bytes.writeUInt8(value <= 0xffff ? 0xfd : 0xfe);
  if (value <= 0xffff) bytes.writeUInt16LE(value, 1);
  else bytes.writeUInt32LE(value, 1);
  return bytes;
}
