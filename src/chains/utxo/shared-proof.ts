import { setImmediate as turn } from 'node:timers/promises';
import { ChainError } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import type { OpenBlock } from './block.ts';
import type { BlockMemory } from './block-memory.ts';
import { conclude, ProofShare } from './block-proof.ts';
import { type ProofThread, trouble } from './proof-thread.ts';

/** How long this thread hashes at a time, in turns with whatever else is to be done in it. */
const HELP_MS = 0.3;
/** More than a piece of usual size takes: less than to be told by the other thread. */
const PIECE_MS = 0.2;
/** How often that long is waited for a piece that a thread began late. */
const LATE_LOOKS = 5_000;

/** What became of the thread's share: `late` and `failed` as those of ProofThread.left. */
type Leaving = 'hashed' | 'late' | 'failed';

interface SharedProofOptions {
  /** Was ordered to hash the block. */
  readonly thread: ProofThread;
  /** So long after the order it has lost its way. */
  readonly limitMs: number;
  /** It must not be asked again; done once it does not look at the block. */
  readonly onFailed: () => Promise<void>;
  /** It may look at where the block is at any time from now on. */
  readonly onLate: () => void;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * The proof of a block that another thread hashes: this one helps when it has nothing else to do for the block. It sees
 * in the room how far both are, and asks the thread only for what it must wait for: to hear from another thread takes
 * longer than a piece of hashing.
 */
export class SharedProof {
  readonly memory: BlockMemory;
  readonly #share: ProofShare;
  readonly #open: OpenBlock;
  readonly #options: SharedProofOptions;
  #isConcluded = false;
  #problem: ChainError | null = null;
  #leaving: Promise<Leaving> | null = null;
  #hasLeft = false;

  constructor(open: OpenBlock, options: SharedProofOptions) {
    this.memory = open.memory;
    this.#open = open;
    this.#share = new ProofShare(open.memory, open.count);
    this.#options = options;
  }

  /** @throws {ChainError} */
  async settled(): Promise<void> {
    while (this.#help()) await turn();
    if (!this.#isConcluded && !this.#share.isThrough(PIECE_MS)) {
      if ((await this.over()) === 'late') await this.#lastPiece();
    }
    this.#conclude();
    if (this.#problem !== null) throw this.#problem;
  }

  /** From now on, another block may be in its place, once it is over. */
  giveUp(cause: unknown): void {
    if (!this.#isConcluded) this.#problem = asTrouble(cause);
    this.#isConcluded = true;
    this.memory.room.giveUp();
  }

  /**
   * Whether nobody will look at the block for its proof. Only while no other block was ordered, of the same thread.
   */
  get isOver(): boolean {
    return this.#hasLeft || (this.#leaving === null && this.#isConcluded && this.#options.thread.hasLeft);
  }

  /** @returns once the thread has left the block, and the proof is known; `late` when it may look at it some time */
  async over(): Promise<Leaving> {
    return (this.#leaving ??= this.#end());
  }

  async #end(): Promise<Leaving> {
    const { thread, limitMs, onFailed, onLate } = this.#options;
    try {
      const answer = await thread.left(limitMs);
      if (answer === 'hashed') this.#conclude();
      else onLate();
      return answer;
    } catch (error) {
      this.giveUp(error);
      await onFailed();
      return 'failed';
    } finally {
      this.#hasLeft = true;
    }
  }

  /** A thread that had other things to do has begun after all. @throws {ChainError} unavailable */
  async #lastPiece(): Promise<void> {
    for (let looks = 0; !this.#isConcluded && !this.#share.isThrough(PIECE_MS); looks += 1) {
      if (looks === LATE_LOOKS) throw trouble('takes too long');
      await turn();
    }
  }

  /** Once everything is hashed. */
  #conclude(): void {
    if (!this.#isConcluded) this.#attempt(() => conclude(this.#share, this.#open, this.#options.logger));
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
      if (!this.#isConcluded) this.#problem = asTrouble(error);
      this.#isConcluded = true;
      return undefined;
    }
  }
}

function asTrouble(error: unknown): ChainError {
  return error instanceof ChainError ? error : trouble('could not be helped', error);
}
