import { ChainError } from '../../domain/chain.ts';
import { DIGEST_BYTES } from './block-layout.ts';
import { BlockMemory } from './block-memory.ts';
import { type BlockTable, countOf, rowAt } from './block-table.ts';
import { type Digest, digestAt } from './hash256.ts';
import { RowReader } from './transaction-rows.ts';

/** Levels of the tree that one piece of work takes in: the hashes of so many transactions, a tenth of a millisecond. */
const LEVELS = 7;
const LEAVES = 2 ** LEVELS;
/** More than this at a time is left to a thread in which nobody waits. */
const LARGE_BYTES = 256 * 1024;

/** A block taken apart, to be hashed. */
export interface Hashable {
  readonly bytes: Buffer;
  readonly table: Pick<BlockTable, 'rows' | 'places'>;
}

/** The root of one piece's part of the tree; null when neighbours are equal in it. */
type PieceRoot = Digest | null;
export type PieceRoots = ReadonlyMap<number, PieceRoot>;

let memory: BlockMemory | null = null;

/**
 * One thread's share in the proof that a header commits to its transactions: hashing all of them is the
 * largest part of reading a block. Threads that have the same block and the same claims hash different pieces
 * of it: whoever is free takes the next.
 */
export class ProofShare {
  readonly #block: Hashable;
  /** The next piece that nobody has taken yet. */
  readonly #claims: Int32Array;
  readonly #pieces: number;
  readonly roots = new Map<number, PieceRoot>();

  constructor(block: Hashable, claims: Int32Array) {
    this.#block = block;
    this.#claims = claims;
    this.#pieces = Math.ceil(countOf(block.table) / LEAVES);
  }

  /** Hashes whatever pieces are left. */
  finish(): void {
    for (let piece = this.#next(); piece < this.#pieces; piece = this.#next()) this.#hash(piece);
  }

  /** Hashes pieces of usual size for about so long; whether there may be more of them. */
  workFor(ms: number): boolean {
    const until = performance.now() + ms;
    do {
      const piece = Atomics.load(this.#claims, 0);
      if (piece >= this.#pieces || this.#rangeOf(piece).bytes.length > LARGE_BYTES) return false;
      if (Atomics.compareExchange(this.#claims, 0, piece, piece + 1) === piece) this.#hash(piece);
    } while (performance.now() < until);
    return true;
  }

  /** Holds what all threads found against the header. @throws {ChainError} bad_answer when it commits to other transactions. */
  conclude(others: PieceRoots, header: { readonly hash: string; readonly merkleRoot: Digest }): void {
    const roots = Array.from(
      { length: this.#pieces },
      (_, piece) => this.roots.get(piece) ?? others.get(piece),
    );
    if (rootOf(roots) === header.merkleRoot) return;
    throw new ChainError('bad_answer', `block ${header.hash}: the transactions do not match its merkle root`);
  }

  #next(): number {
    return Atomics.add(this.#claims, 0, 1);
  }

  #hash(piece: number): void {
    const { bytes, rows, count, start } = this.#rangeOf(piece);
    memory ??= new BlockMemory();
    memory.takeBytes(bytes);
    const ids = memory.ids(rows, count, start);
    // A tree that is smaller than a piece has fewer levels; in a larger one, the last piece has all of them.
    const root = memory.merkleRoot(ids, this.#pieces === 1 ? 0 : LEVELS);
    this.roots.set(piece, root === null ? null : digestAt(root, 0));
  }

  #rangeOf(piece: number): {
    readonly bytes: Buffer;
    readonly rows: Int32Array;
    readonly count: number;
    readonly start: number;
  } {
    const { bytes, table } = this.#block;
    const first = piece * LEAVES;
    const end = Math.min(countOf(table), first + LEAVES);
    const from = rowAt(table, first);
    const to = end === countOf(table) ? table.rows.length : rowAt(table, end);
    const { start } = new RowReader(table.rows, from);
    const last = new RowReader(table.rows, rowAt(table, end - 1));
    return {
      bytes: bytes.subarray(start, last.end),
      rows: table.rows.subarray(from, to),
      count: end - first,
      start,
    };
  }
}

/** Claims of a block that no thread has begun with. */
export function newClaims(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

function rootOf(roots: readonly (PieceRoot | undefined)[]): Digest | null {
  memory ??= new BlockMemory();
  const known = roots.filter((root) => typeof root === 'string');
  if (known.length < roots.length) return null;
  const all = Buffer.from(known.join(''), 'latin1');
  if (all.length === DIGEST_BYTES) return digestAt(all, 0);
  memory.takeBytes(all);
  const root = memory.merkleRoot(all);
  return root === null ? null : digestAt(root, 0);
}
