import {
  BLOCK_AT,
  CHUNK_BYTES,
  CONSTANTS_AT,
  DIGEST_BYTES,
  DIGIT_BYTES,
  DIGITS_AT,
  ENDING_AT,
  HEX_STEP,
  INITIAL_AT,
  LANES,
  SCAN_AT,
  SECONDS_AT,
  SLACK,
  TEXT_AT,
  TEXT_BYTES,
  VECTOR_BYTES,
  WORDS_OF_CHUNK,
} from './block-layout.ts';
import type { BlockTable, TableSizes } from './block-table.ts';
import { blockWasm } from './block-wasm.ts';
import { malformed } from './byte-reader.ts';
import { SCAN } from './scan-wasm.ts';
import { INITIAL_STATE, ROUND_CONSTANTS, scheduleOf } from './sha256-constants.ts';

const PAGE_BYTES = 65_536;
const WORD_BYTES = 4;
const PLACE_WORDS = 3;
const PLACE_BYTES = PLACE_WORDS * WORD_BYTES;
/** The least that an input and an output take of a block. */
const MIN_INPUT_BYTES = 41;
const MIN_OUTPUT_BYTES = 9;
/** What a message takes more than its transaction at most, and its place in the list of messages. */
const MESSAGE_EXTRA = 72 + 8;
/** Of a block for each number in the rows of its transactions: more numbers than usual blocks have. */
const BYTES_PER_NUMBER = 6;
/** Smaller ones do not fill a block. */
const USUAL_TRANSACTION_BYTES = 60;
const END_MARK = 0x8000_0000;

/** See hash-wasm.ts, gather-wasm.ts and scan-wasm.ts. */
interface Functions {
  readonly hashAll: (list: number, end: number, to: number) => void;
  readonly hashDigests: (at: number, end: number) => void;
  readonly hashPairs: (from: number, end: number, to: number) => void;
  readonly gatherAll: (row: number, end: number, base: number, to: number, list: number) => number;
  readonly scan: () => number;
  readonly decodeHex: (to: number, from: number, end: number) => number;
}

/** Transactions taken apart, and where the last of them ends in the block. */
export interface Scanned {
  readonly sizes: TableSizes;
  /** Rows and places as they stand in the memory: good until the next block is taken in. */
  readonly here: Pick<BlockTable, 'rows' | 'places'>;
  /** Fills a table of these sizes, before anything else is done with the memory. */
  readonly fill: (table: BlockTable) => void;
  readonly end: number;
  /** Transactions of a version without a meaning. */
  readonly oddVersions: number;
}

/**
 * Memory that holds one block, takes its transactions apart and hashes all of them without leaving it, four at a
 * time. Kept for the next block; it grows to some three bytes for each of the largest one's.
 */
export class BlockMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #run: Functions;
  #bytes: Buffer;
  #words: Int32Array<ArrayBuffer>;
  #length = 0;

  constructor() {
    const instance = new WebAssembly.Instance(compiled(), { env: { memory: this.#memory } });
    this.#run = instance.exports as unknown as Functions;
    const { buffer } = this.#memory;
    [this.#bytes, this.#words] = [Buffer.from(buffer), new Int32Array(buffer)];
    this.#putWords(INITIAL_AT, INITIAL_STATE);
    this.#putWords(CONSTANTS_AT, ROUND_CONSTANTS);
    const ending = [END_MARK, ...zeros(WORDS_OF_CHUNK - 2), 8 * CHUNK_BYTES];
    const endingWords = scheduleOf(ending);
    this.#putWords(
      ENDING_AT,
      ROUND_CONSTANTS.map((each, round) => (each + (endingWords[round] ?? 0)) >>> 0),
    );
    const half = WORDS_OF_CHUNK / 2;
    this.#putWords(SECONDS_AT, [...zeros(half), END_MARK, ...zeros(half - 2), 8 * DIGEST_BYTES]);
    for (const [at, byte] of DIGIT_BYTES.entries()) {
      const first = DIGITS_AT + VECTOR_BYTES * at;
      this.#bytes.fill(byte, first, first + VECTOR_BYTES);
    }
  }

  /**
   * Takes a block in as the characters of its hex.
   * @returns its bytes in this memory: good until the next block is taken in or hashed
   * @throws {ChainError} bad_answer when it is not hex
   */
  takeHex(text: Uint8Array): Buffer {
    const { length } = text;
    if (length === 0 || length % 2 !== 0) throw malformed(0, 'not hex');
    this.#length = length / 2;
    this.#reserveForScan();
    for (let at = 0; at < length; at += TEXT_BYTES) {
      const piece = text.subarray(at, at + TEXT_BYTES);
      const end = Math.ceil(piece.length / HEX_STEP) * HEX_STEP;
      this.#bytes.set(piece, TEXT_AT);
      this.#bytes.fill('0', TEXT_AT + piece.length, TEXT_AT + end);
      const isHex = this.#run.decodeHex(BLOCK_AT + at / 2, TEXT_AT, TEXT_AT + end) === 1;
      if (!isHex) throw malformed(at / 2, 'not hex');
    }
    return this.#block();
  }

  /** The same for bytes, of a block or of a part of it. */
  takeBytes(bytes: Uint8Array): Buffer {
    this.#length = bytes.length;
    this.#reserveForScan();
    this.#bytes.set(bytes, BLOCK_AT);
    return this.#block();
  }

  /**
   * Takes so many transactions apart that begin at an offset of the block.
   * @returns null where something is odd, or there is more of it than usual: then they must be read one by one
   */
  scan(offset: number, count: number, knownFlags: number): Scanned | null {
    const { rowsAt, rowsEnd, placesAt, keysAt, tailsAt, mostTransactions } = this.#layOut();
    if (count > mostTransactions) return null;
    const base = BLOCK_AT;
    this.#tell({ at: base + offset, end: base + this.#length, count, knownFlags, base });
    this.#tell({ rows: rowsAt, rowsEnd, places: placesAt, outputKeys: keysAt, inputTails: tailsAt });
    if (this.#run.scan() !== 1) return null;
    const sizes = {
      numbers: (this.#told('rowsEnd') - rowsAt) / WORD_BYTES,
      count,
      outputs: (this.#told('outputKeys') - keysAt) / WORD_BYTES,
      inputs: (this.#told('inputTails') - tailsAt) / WORD_BYTES,
    };
    const view = (at: number, length: number): Int32Array<ArrayBuffer> =>
      this.#words.subarray(at / WORD_BYTES, at / WORD_BYTES + length);
    const here = { rows: view(rowsAt, sizes.numbers), places: view(placesAt, PLACE_WORDS * count) };
    const fill = ({ rows, places, outputKeys, inputTails }: BlockTable): void => {
      this.#copyWords(rows, rowsAt);
      this.#copyWords(places, placesAt);
      this.#copyWords(outputKeys, keysAt);
      this.#copyWords(inputTails, tailsAt);
    };
    return { sizes, here, fill, end: this.#told('at') - base, oddVersions: this.#told('oddVersions') };
  }

  /**
   * Ids of the transactions taken in, one after the other in the order of hashing, in this memory: good until merkleRoot has taken them.
   * @param start where in the block what was taken in begins, for rows speak of the whole block
   */
  ids(rows: Int32Array, count: number, start = 0): Uint8Array {
    const rowsAt = this.#behind();
    const rowsEnd = rowsAt + rows.length * WORD_BYTES;
    const messagesAt = chunkFrom(rowsEnd);
    const listAt = messagesAt + this.#length + count * MESSAGE_EXTRA + SLACK;
    const list = chunkFrom(listAt);
    const listEnd = list + count * 2 * WORD_BYTES;
    const digestsAt = chunkFrom(listEnd);
    const digestsEnd = digestsAt + count * DIGEST_BYTES;
    this.#reserve(digestsEnd + LANES * CHUNK_BYTES + SLACK);
    this.#words.set(rows, rowsAt / WORD_BYTES);
    this.#run.gatherAll(rowsAt, rowsEnd, BLOCK_AT - start, messagesAt, list);
    this.#run.hashAll(list, listEnd, digestsAt);
    this.#run.hashDigests(digestsAt, digestsEnd);
    return this.#bytes.subarray(digestsAt, digestsEnd);
  }

  /**
   * Merkle root of ids that stand one after the other, at least one.
   * Null when two equal neighbours occur, which lets different lists share a root (CVE-2012-2459).
   * @param levels at least so many, for the right edge of a larger tree: a single one stands beside itself there, too
   */
  merkleRoot(ids: Uint8Array, levels = 0): Buffer | null {
    const at = this.#behind();
    this.#reserve(at + ids.length + LANES * CHUNK_BYTES + SLACK);
    this.#bytes.set(ids, at);
    let count = ids.length / DIGEST_BYTES;
    for (let level = 0; count > 1 || level < levels; level += 1) {
      if (this.#hasTwins(at, count)) return null;
      const end = at + count * DIGEST_BYTES;
      // The last one of an odd number stands beside itself.
      if (count % 2 === 1) this.#bytes.copyWithin(end, end - DIGEST_BYTES, end);
      count = Math.ceil(count / 2);
      // Beyond the last pair is memory like any other: what comes of it is never looked at.
      this.#run.hashPairs(at, at + count * CHUNK_BYTES, at);
    }
    return this.#bytes.subarray(at, at + DIGEST_BYTES);
  }

  #block(): Buffer {
    return this.#bytes.subarray(BLOCK_AT, BLOCK_AT + this.#length);
  }

  /** Where the block is over, and what is calculated of it may stand. */
  #behind(): number {
    return chunkFrom(BLOCK_AT + this.#length + SLACK);
  }

  /** Where a scan leaves what it finds. */
  #layOut(): Record<
    'rowsAt' | 'rowsEnd' | 'placesAt' | 'keysAt' | 'tailsAt' | 'end' | 'mostTransactions',
    number
  > {
    const most = (bytesEach: number): number => Math.ceil(this.#length / bytesEach);
    const mostTransactions = most(USUAL_TRANSACTION_BYTES);
    const rowsAt = this.#behind();
    const rowsEnd = rowsAt + WORD_BYTES * most(BYTES_PER_NUMBER);
    const placesAt = rowsEnd + SLACK;
    const keysAt = placesAt + PLACE_BYTES * mostTransactions + SLACK;
    const tailsAt = keysAt + WORD_BYTES * most(MIN_OUTPUT_BYTES) + SLACK;
    const end = tailsAt + WORD_BYTES * most(MIN_INPUT_BYTES) + SLACK;
    return { rowsAt, rowsEnd, placesAt, keysAt, tailsAt, end, mostTransactions };
  }

  /** Now: making the memory larger would take the block's bytes away from whoever has them. */
  #reserveForScan(): void {
    this.#reserve(this.#layOut().end);
  }

  #reserve(bytes: number): void {
    const { length } = this.#bytes;
    if (bytes <= length) return;
    this.#memory.grow(Math.ceil((bytes - length) / PAGE_BYTES));
    const { buffer } = this.#memory;
    [this.#bytes, this.#words] = [Buffer.from(buffer), new Int32Array(buffer)];
  }

  /** Each word four times: once for each lane. */
  #putWords(at: number, words: readonly number[]): void {
    for (const [index, word] of words.entries()) {
      const first = at / WORD_BYTES + LANES * index;
      this.#words.fill(word, first, first + LANES);
    }
  }

  #copyWords(into: Int32Array | Uint32Array, at: number): void {
    into.set(this.#words.subarray(at / WORD_BYTES, at / WORD_BYTES + into.length));
  }

  #tell(facts: Partial<Record<keyof typeof SCAN, number>>): void {
    for (const [name, value] of Object.entries(facts)) {
      this.#words[SCAN_AT / WORD_BYTES + SCAN[name as keyof typeof SCAN]] = value;
    }
  }

  #told(name: keyof typeof SCAN): number {
    return this.#words[SCAN_AT / WORD_BYTES + SCAN[name]] ?? 0;
  }

  #hasTwins(at: number, count: number): boolean {
    for (let index = 0; index + 1 < count; index += 2) {
      const left = at + index * DIGEST_BYTES;
      const right = left + DIGEST_BYTES;
      if (this.#words[left / WORD_BYTES] !== this.#words[right / WORD_BYTES]) continue;
      if (this.#bytes.compare(this.#bytes, left, right, right, right + DIGEST_BYTES) === 0) return true;
    }
    return false;
  }
}

/** The first place from an address on where a chunk may stand. */
function chunkFrom(address: number): number {
  return Math.ceil(address / CHUNK_BYTES) * CHUNK_BYTES;
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0);
}

let module: object | null = null;

/** Once for each thread. */
function compiled(): object {
  module ??= new WebAssembly.Module(blockWasm());
  return module;
}
