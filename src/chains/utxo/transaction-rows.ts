import type { Digest } from './hash256.ts';

/** Outputs and inputs as offsets into the bytes: blocks hold thousands and few matter. */
export interface ScannedTransaction {
  readonly id: Digest;
  readonly start: number;
  readonly end: number;
  /** MWEB flag with no data: Litecoin's HogEx, whose outputs after the first are peg-outs. */
  readonly isHogEx: boolean;
  /** Start of each input (its 36-byte outpoint). */
  readonly inputs: readonly number[];
  /** Start of each output (its 8-byte amount). */
  readonly outputs: readonly number[];
}

/**
 * Scanned transactions as numbers in a row, which threads hand over without a copy. Of each: start, end,
 * flags, end of the outputs, how many inputs, how many outputs, then the offsets of both.
 */
const START = 0;
const END = 1;
const FLAGS = 2;
const BODY_END = 3;
const INPUTS = 4;
const OUTPUTS = 5;
const HEAD = 6;

const HOGEX = 1;
const EXTENDED = 2;

const VERSION_BYTES = 4;
const MARKER_BYTES = 2;
const INITIAL_NUMBERS = 64;

/** Collects the rows while transactions are scanned. */
export class RowWriter {
  #numbers: Int32Array<ArrayBuffer>;
  #length = 0;

  /** @param expected how many numbers, if that is known roughly */
  constructor(expected = INITIAL_NUMBERS) {
    this.#numbers = new Int32Array(Math.max(expected, INITIAL_NUMBERS));
  }

  /** Begins a row; its other numbers follow by `push` (offsets) and `finish`. */
  begin(start: number): number {
    const row = this.#length;
    for (let at = 0; at < HEAD; at += 1) this.push(0);
    this.#numbers[row + START] = start;
    return row;
  }

  push(value: number): void {
    if (this.#length === this.#numbers.length) {
      const wider = new Int32Array(this.#numbers.length * 2);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    this.#numbers[this.#length] = value;
    this.#length += 1;
  }

  inputs(row: number, count: number): void {
    this.#numbers[row + INPUTS] = count;
  }

  outputs(row: number, count: number): void {
    this.#numbers[row + OUTPUTS] = count;
  }

  finish(
    row: number,
    parts: {
      readonly end: number;
      readonly bodyEnd: number;
      readonly isHogEx: boolean;
      readonly isExtended: boolean;
    },
  ): void {
    this.#numbers[row + END] = parts.end;
    this.#numbers[row + BODY_END] = parts.bodyEnd;
    this.#numbers[row + FLAGS] = (parts.isHogEx ? HOGEX : 0) | (parts.isExtended ? EXTENDED : 0);
  }

  /** The rows, good until the next is begun. */
  rows(): Int32Array<ArrayBuffer> {
    return this.#numbers.subarray(0, this.#length);
  }
}

/** Where a row stands, and the walk over all of them. Numbers of rows that RowWriter wrote. */
export class RowReader {
  readonly #rows: Int32Array;
  /** Where the row begins. */
  at = 0;

  constructor(rows: Int32Array, at = 0) {
    this.#rows = rows;
    this.at = at;
  }

  isAtEnd(): boolean {
    return this.at >= this.#rows.length;
  }

  next(): void {
    this.at += HEAD + this.inputs + this.outputs;
  }

  get start(): number {
    return this.#number(START);
  }

  get end(): number {
    return this.#number(END);
  }

  get isHogEx(): boolean {
    return (this.#number(FLAGS) & HOGEX) !== 0;
  }

  get inputs(): number {
    return this.#number(INPUTS);
  }

  get outputs(): number {
    return this.#number(OUTPUTS);
  }

  input(index: number): number {
    return this.#number(HEAD + index);
  }

  output(index: number): number {
    return this.#number(HEAD + this.inputs + index);
  }

  /** Inputs and outputs with their counts: what the id is made of besides version and lock time. */
  get bodyStart(): number {
    return this.start + VERSION_BYTES + ((this.#number(FLAGS) & EXTENDED) === 0 ? 0 : MARKER_BYTES);
  }

  get bodyEnd(): number {
    return this.#number(BODY_END);
  }

  transaction(id: Digest): ScannedTransaction {
    const { start, end, isHogEx } = this;
    const inputs = Array.from({ length: this.inputs }, (_, index) => this.input(index));
    const outputs = Array.from({ length: this.outputs }, (_, index) => this.output(index));
    return { id, start, end, isHogEx, inputs, outputs };
  }

  #number(field: number): number {
    return this.#rows[this.at + field] ?? 0;
  }
}
