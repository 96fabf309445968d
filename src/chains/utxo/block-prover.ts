import { setImmediate as turn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { ChainError } from '../../domain/chain.ts';
import { type BlockOrder, openBlock, type OpenBlock, readRest, type ScannedBlock } from './block.ts';
import { BlockMemory } from './block-memory.ts';
import { ProofShare, readAlone } from './block-proof.ts';
import { BlockRoom } from './block-room.ts';
import type { SharedThread } from '../../thread/shared-thread.ts';
import { ProofThread, trouble } from './proof-thread.ts';

/** Hex characters of a block of 256 kB; what is smaller takes less time than telling a thread of it. */
const LARGE_CHARS = 512 * 1024;
/** No block of Bitcoin has more bytes. */
const USUAL_BYTES = 4_000_000;
/** Blocks that wait for their turn; readers take one block after the other. */
const MAX_WAITING = 2;
/** A thousand times what the largest block takes: a thread that is still at it then has lost its way. A transaction may wait for it. */
const PROOF_MS = 5_000;
/** How long this thread hashes at a time, in turns with whatever else is to be done in it. */
const HELP_MS = 0.3;
/** More than a piece of usual size takes: less than to be told by the other thread. */
const PIECE_MS = 0.2;
/** How often that long is waited for a piece that a thread began late. */
const LATE_LOOKS = 5_000;
/** What a block is read in holds some MB, and blocks are minutes apart. */
const IDLE_MS = 10_000;
/** When a text of megabytes is given back: that holds other threads up, and whoever asked is about to commit. */
const GIVE_BACK_MS = 50;

interface ProverOptions {
  readonly proofMs?: number;
  readonly idleMs?: number;
  /** Large blocks are hashed there, if it is to be had. */
  readonly thread?: SharedThread | undefined;
}

/**
 * Reads raw blocks and proves them. This thread takes them apart, which is a millisecond for the largest; another
 * hashes the large ones meanwhile, for that would keep all requests waiting. Where there is no such thread, requests
 * have to wait; when it has other things to do, this one hashes all of a block, in between. Trouble with the thread, or no
 * answer in time though it is at it, is an `unavailable` ChainError; the next try gets a new thread. The memory of a
 * large block's text is taken, too: its caller must not use it any more.
 */
export class BlockProver {
  readonly #oneByOne = pLimit(1);
  readonly #proofMs: number;
  readonly #idleMs: number;
  readonly #shared: SharedThread | null;
  #thread: ProofThread | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Where the last block was read. */
  #memory: BlockMemory | null = null;
  /** The bytes of the block that is there, while somebody may look at it. */
  #held: Buffer | null = null;
  /** Where a block is being hashed. */
  #proving: BlockMemory | null = null;
  #isClosed = false;

  constructor({ proofMs = PROOF_MS, idleMs = IDLE_MS, thread }: ProverOptions = {}) {
    this.#proofMs = proofMs;
    this.#idleMs = idleMs;
    this.#shared = thread ?? null;
  }

  /** Whether a block is hashed by another thread, so that other things happen meanwhile. */
  isLarge({ raw }: Pick<BlockOrder, 'raw'>): boolean {
    return raw.length > LARGE_CHARS;
  }

  /** A block taken apart; a large one is still being proven, and says when it is. It stays as it is until it is released. */
  async prove(order: BlockOrder): Promise<ScannedBlock> {
    if (!this.isLarge(order)) return this.#handOut(readAlone(this.#open(order)));
    if (this.#oneByOne.pendingCount >= MAX_WAITING) throw trouble('has too much to do');
    const { promise, resolve, reject } = Promise.withResolvers<ScannedBlock>();
    // Nobody else's turn comes before the proof.
    this.#oneByOne(async () => this.#readAndProve(order, resolve)).catch(reject);
    return promise;
  }

  /** Nobody looks at a block any more: the next one can be read in its place. */
  release({ bytes }: ScannedBlock): void {
    if (this.#held === bytes) this.#held = null;
  }

  /** Whoever waits for the thread gets a ChainError. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#thread?.close();
  }

  /** @returns once the block is proven; before, `read` is given what it holds */
  async #readAndProve(order: BlockOrder, read: (block: ScannedBlock) => void): Promise<void> {
    if (this.#isClosed) throw trouble('was closed');
    clearTimeout(this.#idle);
    try {
      const open = this.#open(order);
      const thread = this.#startedThread();
      if (thread === null) read(this.#handOut(readAlone(open)));
      else await this.#proveWith(thread, open, read);
    } finally {
      if (!this.#isClosed) this.#endWhenIdle();
      // Here, and not by the collector, which would collect more often for them.
      setTimeout(() => order.raw.buffer.transfer(0), GIVE_BACK_MS).unref();
    }
  }

  async #proveWith(thread: ProofThread, open: OpenBlock, read: (block: ScannedBlock) => void): Promise<void> {
    const { memory, count } = open;
    this.#proving = memory;
    const hashed = thread.hash(memory.room, count, this.#proofMs);
    const proof = new SharedProof(open, hashed);
    try {
      read(this.#handOut({ ...readRest(open), proof: async () => proof.settled() }));
      if ((await hashed) === 'hashed') proof.conclude();
    } catch (error) {
      proof.giveUp(error);
      memory.room.giveUp();
      throw error;
    } finally {
      // Until it answers, the thread may look at the block.
      const [answer] = await Promise.allSettled([hashed]);
      if (answer.status === 'rejected') await this.#discard(thread);
      else if (answer.value === 'late') this.#memory = null;
      this.#proving = null;
    }
  }

  #handOut(block: ScannedBlock): ScannedBlock {
    this.#held = block.bytes;
    return block;
  }

  /** Reads the beginning of a block where no other is. */
  #open(order: BlockOrder): OpenBlock {
    const bytes = order.raw.length / 2;
    const isFree = this.#held === null && this.#proving !== this.#memory;
    if (this.#memory === null || !isFree || this.#memory.room.capacity < bytes) {
      this.#memory = newMemory(Math.max(bytes, USUAL_BYTES));
      this.#held = null;
    }
    return openBlock(this.#memory, order);
  }

  #startedThread(): ProofThread | null {
    if (this.#thread?.hasEnded === true) this.#thread = null;
    if (this.#shared === null) return null;
    return (this.#thread ??= ProofThread.start(this.#shared));
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => {
      this.#memory = null;
      this.#thread?.close();
      this.#thread = null;
    }, this.#idleMs);
    this.#idle.unref();
  }

  /** A thread that failed is never asked again. */
  async #discard(thread: ProofThread): Promise<void> {
    if (this.#thread === thread) this.#thread = null;
    if (!thread.hasEnded) await thread.giveUp(trouble('hangs'));
  }
}

/** The proof of a block that another thread hashes: this one helps when it has nothing else to do for the block. */
class SharedProof {
  readonly #share: ProofShare;
  readonly #open: OpenBlock;
  readonly #hashed: Promise<'hashed' | 'late'>;
  #isConcluded = false;
  #problem: ChainError | null = null;

  /** @param hashed once the thread has nothing more to do with it */
  constructor(open: OpenBlock, hashed: Promise<'hashed' | 'late'>) {
    this.#open = open;
    this.#share = new ProofShare(open.memory, open.count);
    this.#hashed = hashed;
  }

  /** @throws {ChainError} */
  async settled(): Promise<void> {
    while (this.#help()) await turn();
    if (!this.#isConcluded && !this.#share.isThrough(PIECE_MS)) {
      if ((await this.#hashed) === 'late') await this.#lastPiece();
    }
    this.conclude();
  }

  /** A thread that had other things to do has begun after all. @throws {ChainError} unavailable */
  async #lastPiece(): Promise<void> {
    for (let looks = 0; !this.#isConcluded && !this.#share.isThrough(PIECE_MS); looks += 1) {
      if (looks === LATE_LOOKS) throw trouble('takes too long');
      await turn();
    }
  }

  /** Once everything is hashed. @throws {ChainError} */
  conclude(): void {
    if (!this.#isConcluded) this.#attempt(() => this.#share.conclude(this.#open));
    this.#isConcluded = true;
    if (this.#problem !== null) throw this.#problem;
  }

  /** From now on, another block may be in its place. */
  giveUp(cause: unknown): void {
    if (!this.#isConcluded) this.#problem = asTrouble(cause);
    this.#isConcluded = true;
  }

  /** Whether there may be more to be done. */
  #help(): boolean {
    return !this.#isConcluded && this.#attempt(() => this.#share.workFor(HELP_MS)) === true;
  }

  /** What this thread began and has no memory for, nobody else does. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.giveUp(error);
      return undefined;
    }
  }
}

function asTrouble(error: unknown): ChainError {
  return error instanceof ChainError ? error : trouble('could not be helped', error);
}

function newMemory(capacity: number): BlockMemory {
  try {
    return new BlockMemory(new BlockRoom(capacity));
  } catch (error) {
    throw new ChainError('unavailable', 'there is no memory for a block', { cause: error });
  }
}
