import type { ScannedBlock } from './block.ts';
import { digestAt } from './hash256.ts';
import type { ScannedTransaction } from './transaction.ts';

const DIGEST_BYTES = 32;
const HOGEX = 1;

/** A scanned block in a few flat buffers, which threads hand over without a copy. */
export interface PackedBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeMs: number;
  /** The ids one after the other, in the order of hashing. */
  readonly ids: Uint8Array<ArrayBuffer>;
  /** Of each transaction: start, end, flags, how many inputs, how many outputs, then the offsets of both. */
  readonly layout: Int32Array<ArrayBuffer>;
}

export function packBlock({ bytes, hash, parentHash, timeMs, transactions }: ScannedBlock): PackedBlock {
  const ids = Buffer.from(new ArrayBuffer(transactions.length * DIGEST_BYTES));
  const layout: number[] = [];
  for (const [at, { id, start, end, isHogEx, inputs, outputs }] of transactions.entries()) {
    ids.write(id, at * DIGEST_BYTES, 'latin1');
    layout.push(start, end, isHogEx ? HOGEX : 0, inputs.length, outputs.length);
    for (const offset of inputs) layout.push(offset);
    for (const offset of outputs) layout.push(offset);
  }
  return {
    bytes: new Uint8Array(ownBuffer(bytes)),
    hash,
    parentHash,
    timeMs,
    ids,
    layout: Int32Array.from(layout),
  };
}

export function unpackBlock({ bytes, hash, parentHash, timeMs, ids, layout }: PackedBlock): ScannedBlock {
  const idBytes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
  const transactions: ScannedTransaction[] = [];
  let at = 0;
  const next = (): number => layout[at++] ?? 0;
  const row = (length: number): number[] => {
    const offsets: number[] = [];
    for (let index = 0; index < length; index += 1) offsets.push(next());
    return offsets;
  };
  while (at < layout.length) {
    const id = digestAt(idBytes, transactions.length * DIGEST_BYTES);
    const [start, end, isHogEx, inputs, outputs] = [next(), next(), next() === HOGEX, next(), next()];
    transactions.push({ id, start, end, isHogEx, inputs: row(inputs), outputs: row(outputs) });
  }
  return {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    hash,
    parentHash,
    timeMs,
    transactions,
  };
}

/** The memory under a buffer when it is the buffer's alone; a copy when it is shared with others. */
function ownBuffer(bytes: Buffer): ArrayBuffer {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return buffer;
  const copy = new ArrayBuffer(byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}
