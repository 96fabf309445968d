import { Worker } from 'node:worker_threads';
import { ChainError } from '../../domain/chain.ts';
import type { BlockRoom } from './block-room.ts';
import type { ProofOrder } from './block-worker.ts';

/** A thread that hashes blocks which this one reads. */
export class ProofThread {
  readonly #worker: Worker;
  /** Where its last block was. */
  #room: BlockRoom | null = null;
  #hasEnded = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
    // One that fails between two blocks must not end the process; the next block gets a new one.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      this.#hasEnded = true;
    });
  }

  /** Null where no thread is to be had: a limit of processes, or of memory. */
  static start(script: URL): ProofThread | null {
    try {
      return new ProofThread(new Worker(script));
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
   * @returns once it does not look into the room any more: nothing was left to be hashed, or the block was given up
   * @throws {ChainError} unavailable when it fails or does not answer in time: then it must be ended
   */
  async hash(room: BlockRoom, count: number, limitMs: number): Promise<void> {
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (error: unknown): void => reject(trouble('failed', error));
    const ended = (): void => reject(trouble('ended'));
    const late = setTimeout(() => reject(trouble('takes too long')), limitMs);
    const heard = (): void => resolve();
    worker.once('message', heard).once('error', failed).once('messageerror', failed).once('exit', ended);
    worker.ref();
    try {
      const { memory, capacity } = room;
      const known = this.#room === room ? null : { memory, capacity };
      this.#room = room;
      worker.postMessage({ room: known, count } satisfies ProofOrder);
      await promise;
    } finally {
      clearTimeout(late);
      worker.off('message', heard).off('error', failed).off('messageerror', failed).off('exit', ended);
      worker.unref();
    }
  }

  /** Whoever waits for it gets a ChainError. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

export function trouble(what: string, cause?: unknown): ChainError {
  return new ChainError('unavailable', `the thread that hashes blocks ${what}`, { cause });
}
