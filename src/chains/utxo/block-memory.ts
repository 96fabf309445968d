import {
  blockWasm,
  CONSTANTS_AT,
  DIGIT_BYTES,
  DIGITS_AT,
  FREE_AT,
  GATHER_SLACK,
  HEX_STEP,
  INITIAL_STATE,
  ROUND_CONSTANTS,
  STATE_AT,
} from './block-wasm.ts';
import { malformed } from './byte-reader.ts';
import { RowReader } from './transaction-rows.ts';

const PAGE_BYTES = 65_536;
const LANES = 4;
const CHUNK_BYTES = 64;
const VECTOR_BYTES = 16;
const DIGEST_BYTES = 32;
const WORD_BYTES = 4;
const VERSION_BYTES = 4;
const LOCKTIME_BYTES = 4;
/** A set bit and the length in bits, which follow every message. */
const ENDING_BYTES = 9;
const END_MARK = 0x80;

/** Four messages of a digest each, with their endings. */
const SECONDS_AT = FREE_AT;
/** The ending of a message of exactly one chunk. */
const ENDING_AT = SECONDS_AT + LANES * CHUNK_BYTES;
/** Where idle lanes write. */
const SPARE_AT = ENDING_AT + CHUNK_BYTES;
/** Where pieces of a block's text are put, small enough to stay in a processor's nearest caches. */
const TEXT_AT = 4_096;
const TEXT_BYTES = 32_768;
/** Where a block's bytes begin. */
const BLOCK_AT = TEXT_AT + TEXT_BYTES;

/** See block-wasm.ts. */
interface Functions {
  readonly begin: () => void;
  readonly compress: (a: number, b: number, c: number, d: number) => void;
  readonly digests: (a: number, b: number, c: number, d: number) => void;
  readonly gather: (to: number, from: number, end: number) => void;
  readonly decodeHex: (to: number, from: number, end: number) => number;
}

/** A message under way in one lane. */
interface Lane {
  at: number;
  end: number;
  which: number;
}

/**
 * Memory that holds one block and hashes all of its transactions without leaving it, four at a time.
 * Kept for the next block; it grows to some five bytes for each of the largest one's.
 */
export class BlockMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #run: Functions;
  #bytes: Buffer;
  #words: Int32Array;
  #view: DataView;
  #length = 0;

  constructor() {
    const instance = new WebAssembly.Instance(compiled(), { env: { memory: this.#memory } });
    this.#run = instance.exports as unknown as Functions;
    const { buffer } = this.#memory;
    [this.#bytes, this.#words, this.#view] = [
      Buffer.from(buffer),
      new Int32Array(buffer),
      new DataView(buffer),
    ];
    for (const [at, constant] of ROUND_CONSTANTS.entries()) {
      const first = CONSTANTS_AT / WORD_BYTES + LANES * at;
      this.#words.fill(constant, first, first + LANES);
    }
    for (const [at, byte] of DIGIT_BYTES.entries()) {
      const first = DIGITS_AT + VECTOR_BYTES * at;
      this.#bytes.fill(byte, first, first + VECTOR_BYTES);
    }
    for (let lane = 0; lane < LANES; lane += 1) {
      this.#endMessage(SECONDS_AT + lane * CHUNK_BYTES, DIGEST_BYTES, CHUNK_BYTES);
    }
    this.#bytes[ENDING_AT] = END_MARK;
    this.#view.setUint32(ENDING_AT + CHUNK_BYTES - WORD_BYTES, 8 * CHUNK_BYTES);
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
    this.#reserve(BLOCK_AT + this.#length + GATHER_SLACK);
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

  /** The same for bytes. */
  takeBytes(bytes: Uint8Array): Buffer {
    this.#reserve(BLOCK_AT + bytes.length + GATHER_SLACK);
    this.#bytes.set(bytes, BLOCK_AT);
    this.#length = bytes.length;
    return this.#block();
  }

  /** Ids of the block's transactions, one after the other in the order of hashing, in this memory: good until merkleRoot has taken them. */
  ids(rows: Int32Array, count: number): Uint8Array {
    const messagesAt = Math.ceil((BLOCK_AT + this.#length) / CHUNK_BYTES) * CHUNK_BYTES;
    const { starts, end } = messagesOf(rows, count, messagesAt);
    const digestsAt = end + CHUNK_BYTES;
    this.#reserve(digestsAt + count * CHUNK_BYTES + GATHER_SLACK);
    this.#gatherAll(rows, starts);
    this.#hashAll(starts, digestsAt);
    this.#hashDigests(digestsAt, count);
    return this.#bytes.subarray(digestsAt, digestsAt + count * DIGEST_BYTES);
  }

  /**
   * Merkle root of ids that stand one after the other, at least one.
   * Null when two equal neighbours occur, which lets different lists share a root (CVE-2012-2459).
   */
  merkleRoot(ids: Uint8Array): Buffer | null {
    const at = Math.ceil((BLOCK_AT + this.#length) / CHUNK_BYTES) * CHUNK_BYTES;
    this.#reserve(at + ids.length + LANES * CHUNK_BYTES);
    this.#bytes.set(ids, at);
    let count = ids.length / DIGEST_BYTES;
    while (count > 1) {
      if (this.#hasTwins(at, count)) return null;
      const end = at + count * DIGEST_BYTES;
      // The last one of an odd number stands beside itself.
      if (count % 2 === 1) this.#bytes.copyWithin(end, end - DIGEST_BYTES, end);
      count = Math.ceil(count / 2);
      this.#hashPairs(at, count);
    }
    return this.#bytes.subarray(at, at + DIGEST_BYTES);
  }

  #block(): Buffer {
    return this.#bytes.subarray(BLOCK_AT, BLOCK_AT + this.#length);
  }

  #reserve(bytes: number): void {
    const { length } = this.#bytes;
    if (bytes <= length) return;
    this.#memory.grow(Math.ceil((bytes - length) / PAGE_BYTES));
    const { buffer } = this.#memory;
    [this.#bytes, this.#words, this.#view] = [
      Buffer.from(buffer),
      new Int32Array(buffer),
      new DataView(buffer),
    ];
  }

  /** Puts what follows a message of `length` bytes at an address behind it, where zeros are. */
  #endMessage(at: number, length: number, chunkBytes: number): void {
    this.#bytes[at + length] = END_MARK;
    this.#view.setUint32(at + chunkBytes - WORD_BYTES, 8 * length);
  }

  /** What each id is the hash of (version, inputs and outputs, lock time), ready to be hashed. */
  #gatherAll(rows: Int32Array, starts: Int32Array): void {
    const view = this.#view;
    const row = new RowReader(rows);
    for (let which = 0; which + 1 < starts.length; which += 1, row.next()) {
      const [at, next] = [starts[which] ?? 0, starts[which + 1] ?? 0];
      const [from, end] = [BLOCK_AT + row.bodyStart, BLOCK_AT + row.bodyEnd];
      this.#run.gather(at + VERSION_BYTES, from, end);
      const lockTimeAt = at + VERSION_BYTES + end - from;
      view.setUint32(at, view.getUint32(BLOCK_AT + row.start));
      view.setUint32(lockTimeAt, view.getUint32(BLOCK_AT + row.end - LOCKTIME_BYTES));
      this.#endMessage(at, lockTimeAt + LOCKTIME_BYTES - at, next - at);
    }
  }

  /** Hashes all messages; each of the four lanes takes the next as soon as it is through with one. */
  #hashAll(starts: Int32Array, digestsAt: number): void {
    const count = starts.length - 1;
    let [next, busy] = [0, 0];
    const take = (lane: Lane): void => {
      lane.at = starts[next] ?? 0;
      lane.which = next;
      next += 1;
      lane.end = starts[next] ?? 0;
      busy += 1;
    };
    const lanes = Array.from({ length: LANES }, (): Lane => ({ at: SPARE_AT, end: 0, which: 0 }));
    const [a, b, c, d] = lanes;
    if (a === undefined || b === undefined || c === undefined || d === undefined) return;
    this.#run.begin();
    for (const lane of lanes) if (next < count) take(lane);
    while (busy > 0) {
      this.#run.compress(a.at, b.at, c.at, d.at);
      for (let number = 0; number < LANES; number += 1) {
        const lane = lanes[number];
        if (lane === undefined || lane.end === 0) continue;
        lane.at += CHUNK_BYTES;
        if (lane.at !== lane.end) continue;
        this.#takeDigest(number, digestsAt + lane.which * DIGEST_BYTES);
        busy -= 1;
        if (next < count) take(lane);
        else [lane.at, lane.end] = [SPARE_AT, 0];
      }
    }
  }

  /** Writes the digest of one lane and begins a new hash in it. */
  #takeDigest(lane: number, to: number): void {
    for (let word = 0; word < INITIAL_STATE.length; word += 1) {
      const at = STATE_AT / WORD_BYTES + word * LANES + lane;
      this.#view.setInt32(to + WORD_BYTES * word, this.#words[at] ?? 0);
      this.#words[at] = INITIAL_STATE[word] ?? 0;
    }
  }

  /** Hashes each of many digests once more, in its place. */
  #hashDigests(at: number, count: number): void {
    for (let first = 0; first < count; first += LANES) {
      for (let lane = 0; lane < LANES; lane += 1) {
        const from = at + (first + lane) * DIGEST_BYTES;
        this.#bytes.copyWithin(SECONDS_AT + lane * CHUNK_BYTES, from, from + DIGEST_BYTES);
      }
      this.#hashSeconds(at + first * DIGEST_BYTES);
    }
  }

  /** One level of the tree from pairs in a row, to the place where they begin. */
  #hashPairs(at: number, count: number): void {
    const { begin, compress, digests } = this.#run;
    for (let first = 0; first < count; first += LANES) {
      const pairs = at + first * CHUNK_BYTES;
      begin();
      // Beyond the last pair is memory like any other: what comes of it is never looked at.
      compress(pairs, pairs + CHUNK_BYTES, pairs + 2 * CHUNK_BYTES, pairs + 3 * CHUNK_BYTES);
      compress(ENDING_AT, ENDING_AT, ENDING_AT, ENDING_AT);
      const [a, b] = [SECONDS_AT, SECONDS_AT + CHUNK_BYTES];
      digests(a, b, a + 2 * CHUNK_BYTES, b + 2 * CHUNK_BYTES);
      this.#hashSeconds(at + first * DIGEST_BYTES);
    }
  }

  /** The digests of the four messages at SECONDS_AT, in a row. */
  #hashSeconds(to: number): void {
    const { begin, compress, digests } = this.#run;
    const [a, b] = [SECONDS_AT, SECONDS_AT + CHUNK_BYTES];
    begin();
    compress(a, b, a + 2 * CHUNK_BYTES, b + 2 * CHUNK_BYTES);
    digests(to, to + DIGEST_BYTES, to + 2 * DIGEST_BYTES, to + 3 * DIGEST_BYTES);
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

/** Where the messages of all transactions go, each of whole chunks, and where the last one ends. */
function messagesOf(rows: Int32Array, count: number, at: number): { starts: Int32Array; end: number } {
  const starts = new Int32Array(count + 1);
  const row = new RowReader(rows);
  let end = at;
  for (let which = 0; which < count; which += 1, row.next()) {
    starts[which] = end;
    const length = VERSION_BYTES + row.bodyEnd - row.bodyStart + LOCKTIME_BYTES;
    end += Math.ceil((length + ENDING_BYTES) / CHUNK_BYTES) * CHUNK_BYTES;
  }
  starts[count] = end;
  return { starts, end };
}

let module: object | null = null;

/** Once for each thread. */
function compiled(): object {
  module ??= new WebAssembly.Module(blockWasm());
  return module;
}
