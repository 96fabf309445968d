import { ChainError } from '../../domain/chain.ts';
import type { SharedThread, ThreadLine } from '../../thread/shared-thread.ts';
import type { BlockRoom } from './block-room.ts';
import type { ProofOrder } from './hash-blocks.ts';

/** A thread that hashes blocks which this one reads, one after the other. */
export class ProofThread {
  readonly #line: ThreadLine<ProofOrder>;
  /** Where its last block was, and when it was ordered. */
  #room: BlockRoom | null = null;
  #orderedAtMs = 0;
  #waiting: PromiseWithResolvers<'hashed' | 'late'> | null = null;
  #ended: ChainError | null = null;

  private constructor(thread: SharedThread) {
    this.#line = thread.open<ProofOrder, null>('hashBlocks', null, {
      answered: () => {
        // Not that of one before, which came late.
        if (this.#line.isDone) this.#waiting?.resolve('hashed');
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
    return this.#ended !== null;
  }

  /** Whether it does not look into the last block's room any more: nothing was left to be hashed, or the block was given up. */
  get hasLeft(): boolean {
    return this.#line.isDone;
  }

  /**
   * Has it hash the block that begins to be read in a room. It must have left the one before, unless it was late for
   * that, which must have been in another room.
   */
  order(room: BlockRoom): void {
    this.#orderedAtMs = performance.now();
    if (this.#room === room) {
      this.#line.again();
    } else {
      const { memory, capacity } = room;
      this.#room = room;
      this.#line.order({ room: { memory, capacity } });
    }
  }

  /**
   * Only one may wait.
   * @param limitMs since it was ordered
   * @returns once it has left the last block's room; `late` when it has other things to do: some time it may look into
   *   that room, and leave it alone when all is hashed
   * @throws {ChainError} unavailable when it fails or does not answer in time: then it must be given up
   */
  async left(limitMs: number): Promise<'hashed' | 'late'> {
    if (this.hasLeft) return 'hashed';
    if (this.#ended !== null) throw this.#ended;
    if (!this.#line.awaitDone()) return 'hashed';
    const waiting = Promise.withResolvers<'hashed' | 'late'>();
    this.#waiting = waiting;
    const untilMs = Math.max(0, this.#orderedAtMs + limitMs - performance.now());
    const late = setTimeout(() => {
      if (this.#line.isServed) waiting.reject(trouble('takes too long'));
      else waiting.resolve(this.hasLeft ? 'hashed' : 'late');
    }, untilMs);
    this.#line.hold();
    try {
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
    this.#ended ??= error;
    this.#waiting?.reject(error);
  }
}

export function trouble(what: string, cause?: unknown): ChainError {
  return new ChainError('unavailable', `the thread that hashes blocks ${what}`, { cause });
}
