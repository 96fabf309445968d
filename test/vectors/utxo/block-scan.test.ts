import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockMemory } from '../../../src/chains/utxo/block-memory.ts';
import { BlockRoom } from '../../../src/chains/utxo/block-room.ts';
import { type BlockTable, fill, PLACE, sizesOf } from '../../../src/chains/utxo/block-table.ts';
import { ByteReader } from '../../../src/chains/utxo/byte-reader.ts';
import { RowWriter } from '../../../src/chains/utxo/transaction-rows.ts';
import { hasOddVersion, knownFlags, scanTransaction } from '../../../src/chains/utxo/transaction.ts';
import { ChainError } from '../../../src/domain/chain.ts';

const room = new BlockRoom(2_000_000);
const memory = new BlockMemory(room);
/** What follows the last transaction. */
const PADDING = Buffer.alloc(6_000);

interface Found {
  readonly table: BlockTable;
  readonly end: number;
  readonly oddVersions: number;
}

/** By the scanner that goes byte after byte; null when it finds fault. */
function byTheBook(bytes: Buffer, count: number, mweb: boolean): Found | null {
  const reader = new ByteReader(bytes);
  const writer = new RowWriter();
  let oddVersions = 0;
  try {
    for (let index = 0; index < count; index += 1) {
      const start = reader.offset;
      scanTransaction(reader, { mweb, lone: false }, writer);
      if (hasOddVersion(bytes, start)) oddVersions += 1;
    }
  } catch (error) {
    if (error instanceof ChainError || error instanceof RangeError) return null;
    throw error;
  }
  const rows = writer.rows();
  const sizes = sizesOf(rows, count);
  const table = {
    rows: new Int32Array(sizes.numbers),
    places: new Int32Array(PLACE * count),
    outputKeys: new Uint32Array(sizes.outputs),
    inputTails: new Uint32Array(sizes.inputs),
  };
  fill(table, bytes, rows);
  return { table, end: reader.offset, oddVersions };
}

/** @param parts where the block is read in several parts: how much of it is there after each */
function scanned(bytes: Buffer, count: number, mweb: boolean, parts: readonly number[] = []): Found | null {
  memory.beginScan(0, count, knownFlags(mweb));
  let left = count;
  // What an earlier block left behind the part that is there must not matter.
  for (const length of [...parts, bytes.length]) {
    room.block(length).set(bytes.subarray(0, length));
    if (left > 0) left = memory.scan(length);
  }
  if (left > 0) return null;
  const { sizes, end, oddVersions } = memory.scanned();
  return { table: room.table(sizes), end, oddVersions };
}

function compactSize(value: number): Buffer {
  if (value < 0xfd) return Buffer.from([value]);
  const bytes = Buffer.alloc(value < 0x1_0000 ? 3 : 5, value < 0x1_0000 ? 0xfd : 0xfe);
  if (value < 0x1_0000) bytes.writeUInt16LE(value, 1);
  else bytes.writeUInt32LE(value, 1);
  return bytes;
}

const sized = (bytes: Uint8Array): Buffer => Buffer.concat([compactSize(bytes.length), bytes]);
/** Scripts of all lengths at whose ends something changes, long ones too. */
const script = fc.oneof(
  fc.uint8Array({ maxLength: 50 }),
  fc.constantFrom(250, 252, 253, 254, 70_000).map((length) => new Uint8Array(length).fill(7)),
);
const input = fc
  .tuple(fc.uint8Array({ minLength: 36, maxLength: 36 }), script, fc.uint8Array({ minLength: 4, maxLength: 4 }))
  .map(([outpoint, unlocking, sequence]) => Buffer.concat([outpoint, sized(unlocking), sequence]));
const output = fc
  .tuple(fc.uint8Array({ minLength: 8, maxLength: 8 }), script)
  .map(([amount, locking]) => Buffer.concat([amount, sized(locking)]));
const witness = fc
  .array(script, { maxLength: 4 })
  .map((items) => Buffer.concat([compactSize(items.length), ...items.map(sized)]));
const transaction = fc
  .record({
    version: fc.constantFrom(1, 2, 3, 4, 0xffff_ffff),
    parts: fc.array(fc.tuple(input, witness), { minLength: 1, maxLength: 5 }),
    outputs: fc.array(output, { maxLength: 6 }),
    hasWitness: fc.boolean(),
    isHogEx: fc.boolean(),
  })
  .map(({ version, parts, outputs, hasWitness, isHogEx }) => (mweb: boolean): Buffer => {
    const flags = (hasWitness ? 1 : 0) | (mweb && isHogEx ? 8 : 0);
    const head = Buffer.alloc(4);
    head.writeUInt32LE(version);
    return Buffer.concat([
      head,
      ...(flags === 0 ? [] : [Buffer.from([0, flags])]),
      compactSize(parts.length),
      ...parts.map(([spent]) => spent),
      compactSize(outputs.length),
      ...outputs,
      ...(hasWitness ? parts.map(([, items]) => items) : []),
      ...(mweb && isHogEx ? [Buffer.from([0])] : []),
      Buffer.alloc(4, 9),
    ]);
  });
const transactions = fc.array(transaction, { minLength: 1, maxLength: 8 });

describe('the fast scanner of a block', () => {
  it('finds what the thorough one finds, flags, odd versions and long scripts included', () => {
    fc.assert(
      fc.property(transactions, fc.boolean(), (makers, mweb) => {
        const all = makers.map((make) => make(mweb));
        const bytes = Buffer.concat([...all, PADDING]);
        const found = scanned(bytes, all.length, mweb);
        expect(found).not.toBeNull();
        expect(found?.end).toBe(bytes.length - PADDING.length);
        expect(found).toEqual(byTheBook(bytes, all.length, mweb));
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same however little of the block is there when it begins', () => {
    fc.assert(
      fc.property(transactions, fc.array(fc.nat(), { maxLength: 12 }), (makers, cuts) => {
        const bytes = Buffer.concat(makers.map((make) => make(false)));
        const parts = cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b);
        const found = scanned(bytes, makers.length, false, parts);
        expect(found).toEqual(byTheBook(bytes, makers.length, false));
      }),
      { numRuns: 300 },
    );
  });

  it('takes nothing that the thorough one refuses, and sees nothing else in it, wherever bytes are changed or missing', () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom(0, 1, 2, 8, 9, 0xfc, 0xfd, 0xfe, 0xff));
    let [refused, taken] = [0, 0];
    fc.assert(
      fc.property(
        transactions,
        fc.boolean(),
        fc.array(change, { maxLength: 3 }),
        fc.option(fc.nat(), { nil: null }),
        (makers, mweb, changes, cut) => {
          const whole = Buffer.concat(makers.map((make) => make(mweb)));
          for (const [at, value] of changes) whole[at % whole.length] = value;
          const bytes = cut === null ? whole : whole.subarray(0, cut % whole.length);
          if (bytes.length === 0) return;
          const found = scanned(Buffer.from(bytes), makers.length, mweb);
          const expected = byTheBook(Buffer.from(bytes), makers.length, mweb);
          if (found === null) refused += 1;
          else {
            taken += 1;
            expect(found).toEqual(expected);
          }
        },
      ),
      { numRuns: 2_000 },
    );
    expect(Math.min(refused, taken)).toBeGreaterThan(100);
  });

  it('does not end beyond the block, whatever follows it in memory', () => {
    const one = Buffer.concat([
      Buffer.from('02000000', 'hex'),
      Buffer.from([1]),
      Buffer.alloc(36, 1),
      Buffer.from([0]),
      Buffer.alloc(4, 0xff),
      Buffer.from([1]),
      Buffer.alloc(8),
      Buffer.from([22]),
      Buffer.alloc(22, 3),
      Buffer.alloc(4),
    ]);
    const whole = Buffer.concat([one, one, one]);
    expect(scanned(whole, 3, false)?.end).toBe(whole.length);
    // What was there before is still there behind it, and would fit.
    for (let length = 1; length < whole.length; length += 1) {
      const found = scanned(whole.subarray(0, length), 3, false);
      expect(found).toBeNull();
    }
  });
});
