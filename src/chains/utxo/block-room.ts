import { DIGEST_BYTES, SCAN_AT, SLACK } from './block-layout.ts';
import { type BlockTable, PLACE, type TableSizes } from './block-table.ts';
import { SCAN } from './scan-wasm.ts';
import { RowReader } from './transaction-rows.ts';

const PAGE_BYTES = 65_536;
const WORD_BYTES = 4;
/** The least that a transaction, an input and an output take of a block; no block has more of them than fit. */
const MIN_TRANSACTION_BYTES = 10;
const MIN_INPUT_BYTES = 41;
const MIN_OUTPUT_BYTES = 9;
/** Numbers in the row of a transaction beside one for each output and input. */
const ROW_NUMBERS = 6;
/** Transactions of one piece of the proof: see ProofShare. */
export const PIECE = 128;

/** The words at the beginning, beside those of the scanner. */
const READY = 0;
const CLAIMED = 1;
const HASHED = 2;
const COUNT = 3;
/** Instead of how many transactions can be hashed: nobody needs to hash them any more. */
const GIVEN_UP = -1;
/** Should nobody wake who waits, he looks again. */
const LOOK_AGAIN_MS = 1_000;

/** What became of a piece. */
const UNKNOWN = 0;
const ROOT = 1;
const TWINS = 2;

/**
 * Memory in which threads have one block at a time: its bytes, its transactions taken apart (see BlockTable), and what
 * they found in hashing them. Who may write when:
 *
 * - The thread that made it alone puts a block into it, once no other is at work in it and nobody looks at the block
 *   that was there. `ready` says how many of its transactions are complete: what is in these, and in their rows, stays
 *   as it is, and other threads read nothing else.
 * - Of a piece, the thread writes that claimed it, until it says what became of it.
 *
 * It has addresses for whatever may be in a block, and never grows: only what a block fills takes memory.
 */
export class BlockRoom {
  readonly memory: WebAssembly.SharedMemory;
  /** Bytes of the largest block that it takes. */
  readonly capacity: number;
  readonly bytes: Buffer<SharedArrayBuffer>;
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly at: ReturnType<typeof layOut>;

  /** @param memory that of another thread, made for the same capacity */
  constructor(capacity: number, memory: WebAssembly.SharedMemory = memoryFor(capacity)) {
    this.memory = memory;
    this.capacity = capacity;
    this.bytes = Buffer.from(memory.buffer);
    this.words = new Int32Array(memory.buffer);
    this.at = layOut(capacity);
  }

  /** The place of a block of this size. */
  block(length: number): Buffer<SharedArrayBuffer> {
    return this.bytes.subarray(this.at.block, this.at.block + length);
  }

  table({ numbers, count, outputs, inputs }: TableSizes): BlockTable {
    const { buffer } = this.memory;
    const { rows, places, keys, tails } = this.at;
    return {
      rows: new Int32Array(buffer, rows, numbers),
      places: new Int32Array(buffer, places, PLACE * count),
      outputKeys: new Uint32Array(buffer, keys, outputs),
      inputTails: new Uint32Array(buffer, tails, inputs),
    };
  }

  /** Where the rows of transactions stand, from one position to another, and how many bytes of the block are theirs. */
  piece(
    first: number,
    end: number,
  ): { readonly rowsAt: number; readonly rowsEnd: number; readonly bytes: number } {
    const { start, at } = this.row(first);
    const last = this.row(end - 1);
    const bytes = last.end - start;
    last.next();
    return { rowsAt: WORD_BYTES * at, rowsEnd: WORD_BYTES * last.at, bytes };
  }

  tellScanner(facts: Partial<Record<keyof typeof SCAN, number>>): void {
    for (const [name, value] of Object.entries(facts)) {
      this.words[SCAN_AT / WORD_BYTES + SCAN[name as keyof typeof SCAN]] = value;
    }
  }

  scannerTold(name: keyof typeof SCAN): number {
    return this.words[SCAN_AT / WORD_BYTES + SCAN[name]] ?? 0;
  }

  /** Before a block of so many transactions is read, and before others hear of it. */
  begin(count: number): void {
    const first = this.at.outcomes / WORD_BYTES;
    this.words.fill(UNKNOWN, first, first + piecesOf(count));
    Atomics.store(this.words, CLAIMED, 0);
    Atomics.store(this.words, HASHED, 0);
    Atomics.store(this.words, READY, 0);
    Atomics.store(this.words, COUNT, count);
  }

  /** How many transactions the block has that was begun. */
  get count(): number {
    return Atomics.load(this.words, COUNT);
  }

  /** So many transactions can be hashed. */
  publish(count: number): void {
    Atomics.store(this.words, READY, count);
    Atomics.notify(this.words, READY);
  }

  giveUp(): void {
    this.publish(GIVEN_UP);
  }

  isReady(count: number): boolean {
    return Atomics.load(this.words, READY) >= count;
  }

  /** Waits, as only a thread may that has nothing else to do. @returns false when nobody needs it any more */
  waitFor(count: number): boolean {
    for (;;) {
      const ready = Atomics.load(this.words, READY);
      if (ready === GIVEN_UP) return false;
      if (ready >= count) return true;
      Atomics.wait(this.words, READY, ready, LOOK_AGAIN_MS);
    }
  }

  /** The next piece that nobody has taken yet. */
  get unclaimed(): number {
    return Atomics.load(this.words, CLAIMED);
  }

  /** Takes the next piece, if it is still this one. */
  claim(piece: number): boolean {
    return Atomics.compareExchange(this.words, CLAIMED, piece, piece + 1) === piece;
  }

  /** @param root of its part of the tree; null when neighbours are equal in it */
  conclude(piece: number, root: Uint8Array | null): void {
    if (root !== null) this.bytes.set(root, this.at.roots + DIGEST_BYTES * piece);
    Atomics.store(this.words, this.at.outcomes / WORD_BYTES + piece, root === null ? TWINS : ROOT);
    Atomics.add(this.words, HASHED, 1);
    Atomics.notify(this.words, HASHED);
  }

  /** Waits a little for pieces that others have taken. @returns whether all of them are hashed */
  areHashed(pieces: number, withinMs: number): boolean {
    const until = performance.now() + withinMs;
    for (;;) {
      const hashed = Atomics.load(this.words, HASHED);
      if (hashed === pieces) return true;
      const ms = until - performance.now();
      if (ms <= 0) return false;
      Atomics.wait(this.words, HASHED, hashed, ms);
    }
  }

  /** The roots of all pieces in a row; null when one is missing, be it that it has none. */
  roots(pieces: number): Buffer<SharedArrayBuffer> | null {
    const first = this.at.outcomes / WORD_BYTES;
    for (let piece = 0; piece < pieces; piece += 1) {
      if (Atomics.load(this.words, first + piece) !== ROOT) return null;
    }
    return this.bytes.subarray(this.at.roots, this.at.roots + DIGEST_BYTES * pieces);
  }

  /** The row of a transaction that was read. */
  row(position: number): RowReader {
    const { rows, places } = this.at;
    return new RowReader(
      this.words,
      rows / WORD_BYTES + (this.words[places / WORD_BYTES + PLACE * position] ?? 0),
    );
  }
}

export function piecesOf(count: number): number {
  return Math.ceil(count / PIECE);
}

function layOut(
  capacity: number,
): Record<'outcomes' | 'roots' | 'places' | 'keys' | 'tails' | 'rows' | 'rowsEnd' | 'block' | 'end', number> {
  const most = (bytesEach: number): number => Math.ceil(capacity / bytesEach);
  const transactions = most(MIN_TRANSACTION_BYTES);
  const pieces = piecesOf(transactions);
  const outcomes = behind(SCAN_AT, WORD_BYTES * Object.keys(SCAN).length);
  const roots = behind(outcomes, WORD_BYTES * pieces);
  const places = behind(roots, DIGEST_BYTES * pieces);
  const keys = behind(places, WORD_BYTES * PLACE * transactions);
  const tails = behind(keys, WORD_BYTES * most(MIN_OUTPUT_BYTES));
  const rows = behind(tails, WORD_BYTES * most(MIN_INPUT_BYTES));
  const rowsEnd = rows + WORD_BYTES * (ROW_NUMBERS * transactions + most(MIN_OUTPUT_BYTES));
  const block = behind(rowsEnd, 0);
  return { outcomes, roots, places, keys, tails, rows, rowsEnd, block, end: behind(block, capacity) };
}

/** @throws {RangeError} when there is no more */
function memoryFor(capacity: number): WebAssembly.SharedMemory {
  const pages = Math.ceil(layOut(capacity).end / PAGE_BYTES);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/** Where something may begin behind what stands at a place. */
function behind(at: number, bytes: number): number {
  return Math.ceil((at + bytes) / SLACK + 1) * SLACK;
}
