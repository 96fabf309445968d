import {
  CHUNK_BYTES,
  CONSTANTS_AT,
  DIGEST_BYTES,
  DIGIT_NUMBERS,
  DIGITS_AT,
  ENDING_AT,
  HEX_STEP,
  INITIAL_AT,
  LANES,
  SCRATCH_AT,
  SECONDS_AT,
  SLACK,
  TEXT_AT,
  TEXT_BYTES,
  WORDS_OF_CHUNK,
} from './block-layout.ts';
import { BlockRoom } from './block-room.ts';
import { PLACE, type TableSizes } from './block-table.ts';
import { blockWasm } from './block-wasm.ts';
import { malformed } from './byte-reader.ts';
import { compileWide } from '../../wasm/wide-vectors.ts';
import { isRight, SAMPLE_BYTES } from './try-out.ts';
import { INITIAL_STATE, ROUND_CONSTANTS, scheduleOf } from './sha256-constants.ts';

const PAGE_BYTES = 65_536;
const WORD_BYTES = 4;
/** What a message takes more than its transaction at most, and its place in the list of messages. */
const MESSAGE_EXTRA = 72 + 8;
const END_MARK = 0x8000_0000;

/** See hash-wasm.ts, gather-wasm.ts and scan-wasm.ts. */
interface Functions {
  readonly hashAll: (list: number, end: number, to: number) => void;
  readonly hashDigests: (at: number, end: number) => void;
  readonly hashPairs: (from: number, end: number, to: number) => void;
  readonly gatherAll: (row: number, end: number, base: number, to: number, list: number) => number;
  readonly scan: () => void;
  readonly decodeHex: (to: number, from: number, end: number) => number;
}

/** Transactions taken apart, and where the last of them ends in the block. */
export interface Scanned {
  readonly sizes: TableSizes;
  readonly end: number;
  /** Transactions of a version without a meaning. */
  readonly oddVersions: number;
}

/**
 * One thread's work on the block in a room: taking its transactions apart, and hashing them eight at a time. What it
 * calculates with is its own, kept for the next block: as large as the largest piece that it hashed.
 */
export class BlockMemory {
  readonly room: BlockRoom;
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #run: Functions;
  #bytes: Buffer;
  #words: Int32Array<ArrayBuffer>;

  /** @param module what blockWasm was compiled to */
  constructor(room: BlockRoom, module: object = blockModule()) {
    this.room = room;
    const env = { memory: this.#memory, shared: room.memory };
    const instance = new WebAssembly.Instance(module, { env });
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
    this.#words.set(Object.values(DIGIT_NUMBERS), DIGITS_AT / WORD_BYTES);
  }

  /**
   * Puts a part of a block there that is given as the characters of its hex.
   * @param from where in the text the part begins: at the beginning, or where another ended, at a multiple of TEXT_BYTES
   * @throws {ChainError} bad_answer when it is not hex
   */
  takeHex(text: Uint8Array, from: number, end: number): void {
    if (end <= from || (end - from) % 2 !== 0) throw malformed(from / 2, 'not hex');
    const { block } = this.room.at;
    for (let at = from; at < end; at += TEXT_BYTES) {
      const piece = text.subarray(at, Math.min(end, at + TEXT_BYTES));
      const textEnd = TEXT_AT + Math.ceil(piece.length / HEX_STEP) * HEX_STEP;
      this.#bytes.set(piece, TEXT_AT);
      this.#bytes.fill('0', TEXT_AT + piece.length, textEnd);
      if (this.#run.decodeHex(block + at / 2, TEXT_AT, textEnd) !== 1) throw malformed(at / 2, 'not hex');
    }
  }

  /** Before `scan`: so many transactions begin at an offset of the block. */
  beginScan(offset: number, count: number, knownFlags: number): void {
    const { block: base, rows, rowsEnd, places, keys, tails } = this.room.at;
    this.room.tellScanner({ base, knownFlags, rows, rowsEnd, outputKeys: keys, inputTails: tails });
    this.room.tellScanner({
      at: base + offset,
      left: count,
      row: rows,
      place: places,
      key: keys,
      tail: tails,
      odd: 0,
    });
  }

  /**
   * Takes transactions apart as far as the block goes.
   * @param length of what is there of it
   * @returns how many are left: they are not complete, or odd, and must be read one by one
   */
  scan(length: number): number {
    this.room.tellScanner({ end: this.room.at.block + length });
    this.#run.scan();
    return this.room.scannerTold('left');
  }

  /** All that were taken apart. */
  scanned(): Scanned {
    const { block, rows, places, keys, tails } = this.room.at;
    const words = (name: 'row' | 'place' | 'key' | 'tail', from: number): number =>
      (this.room.scannerTold(name) - from) / WORD_BYTES;
    return {
      sizes: {
        numbers: words('row', rows),
        count: words('place', places) / PLACE,
        outputs: words('key', keys),
        inputs: words('tail', tails),
      },
      end: this.room.scannerTold('at') - block,
      oddVersions: this.room.scannerTold('odd'),
    };
  }

  /**
   * Ids of transactions one after the other in the order of hashing, in this thread's memory: good until merkleRoot has taken them.
   * @param first position of the first, whose row the room has as it has those of all up to the end
   */
  ids(first: number, end: number): Uint8Array {
    const { rowsAt, rowsEnd, bytes } = this.room.piece(first, end);
    const count = end - first;
    const messagesAt = chunkFrom(SCRATCH_AT);
    const list = chunkFrom(messagesAt + bytes + count * MESSAGE_EXTRA + SLACK);
    const listEnd = list + count * 2 * WORD_BYTES;
    const digestsAt = chunkFrom(listEnd);
    const digestsEnd = digestsAt + count * DIGEST_BYTES;
    this.#reserve(digestsEnd + LANES * CHUNK_BYTES + SLACK);
    this.#run.gatherAll(rowsAt, rowsEnd, this.room.at.block, messagesAt, list);
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
    const at = chunkFrom(SCRATCH_AT);
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

  #reserve(bytes: number): void {
    const { length } = this.#bytes;
    if (bytes <= length) return;
    this.#memory.grow(Math.ceil((bytes - length) / PAGE_BYTES));
    const { buffer } = this.#memory;
    [this.#bytes, this.#words] = [Buffer.from(buffer), new Int32Array(buffer)];
  }

  /** Each word once for each lane. */
  #putWords(at: number, words: readonly number[]): void {
    for (const [index, word] of words.entries()) {
      const first = at / WORD_BYTES + LANES * index;
      this.#words.fill(word, first, first + LANES);
    }
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

let chosen: object | null = null;

/**
 * What blocks are read and hashed by: compiled once for each thread, and tried out.
 * @param onUsual is told, that one time, that it failed the trial and was compiled as any other is, which hashes at half
 *   the speed. Every thread of a process would be told the same: of the same bytes and processor the same is made.
 */
export function blockModule(onUsual: () => void = () => undefined): object {
  chosen ??= compileWide(blockWasm(), (module) => {
    const isGood = isRight(new BlockMemory(new BlockRoom(SAMPLE_BYTES), module));
    if (!isGood) onUsual();
    return isGood;
  });
  return chosen;
}
