import { RowReader } from './transaction-rows.ts';
import { outpointTail, scriptKey } from './transaction.ts';

/** Where the row of a transaction begins, and the numbers of its first output and its first input. */
export const PLACE = 3;

/**
 * A block's transactions in flat arrays. Whoever looks for a few among thousands goes through the keys in a row instead
 * of through the block's bytes.
 */
export interface BlockTable {
  /** See RowReader. */
  readonly rows: Int32Array;
  readonly places: Int32Array;
  /** What a sieve goes by, of every output of the block in order; 0 where no address could be paid. */
  readonly outputKeys: Uint32Array;
  /** The same of every input. */
  readonly inputTails: Uint32Array;
}

export interface TableSizes {
  /** Numbers of all rows. */
  readonly numbers: number;
  readonly count: number;
  readonly outputs: number;
  readonly inputs: number;
}

export function sizesOf(rows: Int32Array, count: number): TableSizes {
  let [outputs, inputs] = [0, 0];
  for (const row = new RowReader(rows); !row.isAtEnd(); row.next()) {
    outputs += row.outputs;
    inputs += row.inputs;
  }
  return { numbers: rows.length, count, outputs, inputs };
}

/** Fills a table with the rows of transactions in a block's bytes. */
export function fill(table: BlockTable, bytes: Uint8Array, rows: Int32Array): void {
  const { places, outputKeys, inputTails } = table;
  table.rows.set(rows);
  const row = new RowReader(rows);
  let [output, input] = [0, 0];
  for (let at = 0; at < places.length; at += PLACE, row.next()) {
    places[at] = row.at;
    places[at + 1] = output;
    places[at + 2] = input;
    const { outputs, inputs } = row;
    for (let index = 0; index < outputs; index += 1, output += 1) {
      outputKeys[output] = scriptKey(bytes, row.output(index)) ?? 0;
    }
    for (let index = 0; index < inputs; index += 1, input += 1) {
      inputTails[input] = outpointTail(bytes, row.input(index));
    }
  }
}

/** How many transactions there are. */
export function countOf({ places }: Pick<BlockTable, 'places'>): number {
  return places.length / PLACE;
}

/** Where the row of the transaction at a position begins. */
export function rowAt({ places }: Pick<BlockTable, 'places'>, position: number): number {
  return places[PLACE * position] ?? 0;
}

/** Positions of the transactions that have these outputs or inputs (numbers in the block, ascending), each once. */
export function positionsOf(
  { places }: Pick<BlockTable, 'places'>,
  numbers: readonly number[],
  of: 'outputs' | 'inputs',
): number[] {
  const field = of === 'outputs' ? 1 : 2;
  const positions: number[] = [];
  let low = 0;
  for (const number of numbers) {
    let high = places.length / PLACE - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((places[PLACE * middle + field] ?? 0) <= number) low = middle;
      else high = middle - 1;
    }
    if (positions.at(-1) !== low) positions.push(low);
  }
  return positions;
}
