import { ChainError } from '../../domain/chain.ts';
import type { SharedThread, ThreadLine } from '../../thread/shared-thread.ts';
import type { BlockRoom } from './block-room.ts';
import type { ProofOrder } from './hash-blocks.ts';

/** A thread that hashes blocks which this one reads. */
export class ProofThread {
  readonly #line: ThreadLine<ProofOrder>;
  /** Where its last block was. */
  #room: BlockRoom | null = null;
  #lastOrder = 0;
  #waiting: PromiseWithResolvers<'hashed' | 'late'> | null = null;
  #hasEnded = false;

  private constructor(thread: SharedThread) {
    this.#line = thread.open<ProofOrder, number>('hashBlocks', null, {
      answered: (order) => {
        // Not that of one before, which came late.
        if (order === this.#lastOrder) this.#waiting?.resolve('hashed');
      },
      ended: ({ error }) => this.#over(trouble('failed', error)),
    });
  }

  /** Null where no thread is to be had: a limit of processes, or of memory. */
  static start(thread: SharedThread): ProofThread | null {
    try {
      return new ProofThread(thread);
    } catch {
      return null;
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Has it hash the block that begins to be read in a room, one after the other.
   * @param count transactions of the block
   * @returns once it does not look into the room any more, as nothing was left to be hashed or the block was given up;
   *   `late` when it has other things to do: some time it will look into that room, and leave it alone when all is hashed
   * @throws {ChainError} unavailable when it fails or does not answer in time: then it must be given up
   */
  async hash(room: BlockRoom, count: number, limitMs: number): Promise<'hashed' | 'late'> {
    const waiting = Promise.withResolvers<'hashed' | 'late'>();
    this.#waiting = waiting;
    const late = setTimeout(() => {
      if (this.#line.isServed) waiting.reject(trouble('takes too long'));
      else waiting.resolve('late');
    }, limitMs);
    this.#line.hold();
    try {
      const { memory, capacity } = room;
      const known = this.#room === room ? null : { memory, capacity };
      this.#room = room;
      this.#lastOrder += 1;
      this.#line.order({ number: this.#lastOrder, room: known, count });
      return await waiting.promise;
    } finally {
      clearTimeout(late);
      this.#line.letGo();
    }
  }

  /** It fails, or hangs. @returns once it does not look into any room */
  async giveUp(error: Error): Promise<void> {
    await this.#line.giveUp(error);
  }

  /** Whoever waits for it gets a ChainError. */
  close(): void {
    this.#over(trouble('ended'));
    void this.#line.close();
  }

  #over(error: ChainError): void {
    this.#hasEnded = true;
    this.#waiting?.reject(error);
  }
}

export function trouble(what: string, cause?: unknown): ChainError {
  return new ChainError('unavailable', `the thread that hashes blocks ${what}`, { cause });
}
