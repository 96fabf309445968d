/** Writes unsigned transactions byte by byte: bigint amounts, and several outputs to one address. */

export interface RawInput {
  readonly txid: string;
  readonly vout: number;
  readonly sequence: number;
}

export interface RawOutput {
  readonly scriptHex: string;
  readonly amountAtoms: bigint;
}

/** The highest sequence that still signals replacement (BIP 125). */
export const REPLACEABLE_SEQUENCE = 0xfffffffd;
export const FINAL_SEQUENCE = 0xfffffffe;

const VERSION = 2;
const SMALL_COUNT_LIMIT = 0xfd;

/** Legacy (no witness) serialization, empty scriptSigs, locktime 0. */
export function encodeUnsigned(inputs: readonly RawInput[], outputs: readonly RawOutput[]): string {
  const parts: Uint8Array[] = [uint32(VERSION), compactSize(inputs.length)];
  for (const input of inputs) {
    parts.push(Buffer.from(input.txid, 'hex').toReversed(), uint32(input.vout));
    parts.push(compactSize(0), uint32(input.sequence));
  }
  parts.push(compactSize(outputs.length));
  for (const output of outputs) {
    const script = Buffer.from(output.scriptHex, 'hex');
    parts.push(int64(output.amountAtoms), compactSize(script.length), script);
  }
  parts.push(uint32(0));
  return Buffer.concat(parts).toString('hex');
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

function compactSize(value: number): Buffer {
  if (value < SMALL_COUNT_LIMIT) return Buffer.from([value]);
  const bytes = Buffer.alloc(3);
  bytes.writeUInt8(SMALL_COUNT_LIMIT);
  bytes.writeUInt16LE(value, 1);
  return bytes;
}
