import { ChainError } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import { type OpenBlock, readRest, type ScannedBlock } from './block.ts';
import { DIGEST_BYTES } from './block-layout.ts';
import type { BlockMemory } from './block-memory.ts';
import { PIECE, piecesOf } from './block-room.ts';
import { type Digest, digestAt } from './hash256.ts';
import { merkleRootOf } from './merkle-root.ts';
import { transactionId } from './transaction.ts';

/** Levels of the tree that one piece of work takes in: a tenth of a millisecond. */
const LEVELS = Math.log2(PIECE);
/** More than this at a time is left to a thread in which nobody waits. */
const LARGE_BYTES = 256 * 1024;

/**
 * One thread's share in the proof that a header commits to its transactions: hashing all of them is the
 * largest part of reading a block. Threads that have the same room hash different pieces of its block, from the
 * first transactions on while others are still being read: whoever is free takes the next.
 */
export class ProofShare {
  readonly #memory: BlockMemory;
  readonly #count: number;
  readonly #pieces: number;

  /** @param count transactions of the block in the memory's room */
  constructor(memory: BlockMemory, count: number) {
    this.#memory = memory;
    this.#count = count;
    this.#pieces = piecesOf(count);
  }

  /** Hashes whatever pieces are left, and waits for those that are not read yet. */
  finish(): void {
    const { room } = this.#memory;
    for (let piece = room.unclaimed; piece < this.#pieces; piece = room.unclaimed) {
      if (!room.waitFor(this.#endOf(piece))) return;
      if (room.claim(piece)) this.#hash(piece);
    }
  }

  /** Hashes pieces of usual size that were read, for about so long; whether there may be more of them. */
  workFor(ms: number): boolean {
    const { room } = this.#memory;
    const until = performance.now() + ms;
    do {
      const piece = room.unclaimed;
      if (piece >= this.#pieces || !room.isReady(this.#endOf(piece))) return false;
      if (room.piece(piece * PIECE, this.#endOf(piece)).bytes > LARGE_BYTES) return false;
      if (room.claim(piece)) this.#hash(piece);
    } while (performance.now() < until);
    return true;
  }

  /** Whether all threads are through with it; waits a little for the last of them. */
  isThrough(withinMs: number): boolean {
    return this.#memory.room.areHashed(this.#pieces, withinMs);
  }

  /**
   * Holds what all threads found against the header.
   * @returns false when they hashed wrongly, and only OpenSSL found what it commits to: whoever can must say so
   * @throws {ChainError} bad_answer when it commits to other transactions
   */
  conclude({ order, bytes, merkleRoot }: Pick<OpenBlock, 'order' | 'bytes' | 'merkleRoot'>): boolean {
    if (this.#root() === merkleRoot) return true;
    // Wide vectors are an experiment of V8 (see compileWide), which must not be able to stop a chain.
    if (this.isThrough(0) && this.#rootByOpenSsl(bytes) === merkleRoot) return false;
    throw new ChainError('bad_answer', `block ${order.hash}: the transactions do not match its merkle root`);
  }

  #hash(piece: number): void {
    const ids = this.#memory.ids(piece * PIECE, this.#endOf(piece));
    // A tree that is smaller than a piece has fewer levels; in a larger one, the last piece has all of them.
    this.#memory.room.conclude(piece, this.#memory.merkleRoot(ids, this.#pieces === 1 ? 0 : LEVELS));
  }

  #endOf(piece: number): number {
    return Math.min(this.#count, (piece + 1) * PIECE);
  }

  #root(): Digest | null {
    const roots = this.#memory.room.roots(this.#pieces);
    if (roots === null) return null;
    const root = roots.length === DIGEST_BYTES ? roots : this.#memory.merkleRoot(roots);
    return root === null ? null : digestAt(root, 0);
  }

  /** Slower by far. */
  #rootByOpenSsl(bytes: Buffer): Digest | null {
    const { room } = this.#memory;
    const ids = Array.from({ length: this.#count }, (_, at) => transactionId(bytes, room.row(at)));
    return merkleRootOf(ids);
  }
}

/** As ProofShare.conclude; and an operator learns of a machine that hashes wrongly. @throws {ChainError} bad_answer */
export function conclude(share: ProofShare, open: OpenBlock, logger: Pick<Logger, 'error'>): void {
  if (share.conclude(open)) return;
  logger.error(
    { block: open.order.hash },
    'the transactions of a block were hashed wrongly by vector instructions, and rightly by OpenSSL: the block is taken, but this processor or this version of Node makes mistakes',
  );
}

/** Reads and proves a block in this thread. @throws {ChainError} bad_answer when anything does not fit. */
export function readAlone(open: OpenBlock, logger: Pick<Logger, 'error'>): ScannedBlock {
  const block = readRest(open);
  const share = new ProofShare(open.memory, open.count);
  share.finish();
  conclude(share, open, logger);
  return { ...block, proof: null };
}
