import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ChainError } from '../../domain/chain.ts';
import { type ScannedBlock, scanHexBlock, unfolded } from './block.ts';
import type { BlockOrder, BlockVerdict } from './block-worker.ts';

/** Hex characters of a block of 256 kB; what is smaller takes less time than handing it over. */
const LARGE_CHARS = 512 * 1024;
/** Blocks that wait for the worker; readers take one block after the other. */
const MAX_WAITING = 2;
/** A thousand times what the largest block takes: a thread that is still at it then has lost its way. */
const LIMIT_MS = 60_000;

interface ProverOptions {
  readonly limitMs?: number;
  /** The program of the thread. */
  readonly script?: URL;
}

/**
 * Takes raw blocks apart and proves them (see scanBlock): large ones in a worker thread, started at the
 * first of them, for hashing a full block would keep all requests waiting. Where the machine gives no
 * thread, requests have to wait. Trouble with the thread, or none of its answers in a minute, is an
 * `unavailable` ChainError; the next try gets a new thread. The memory of a large block's text is
 * handed over, too: its caller must not use it any more.
 */
export class BlockProver {
  readonly #oneByOne = pLimit(1);
  readonly #limitMs: number;
  readonly #script: URL;
  #worker: Worker | null = null;
  #isClosed = false;

  constructor({ limitMs = LIMIT_MS, script = workerScript() }: ProverOptions = {}) {
    this.#limitMs = limitMs;
    this.#script = script;
  }

  /** Whether a block is worked on in the worker, so that other things happen meanwhile. */
  isLarge({ raw }: Pick<BlockOrder, 'raw'>): boolean {
    return raw.length > LARGE_CHARS;
  }

  async prove(order: BlockOrder): Promise<ScannedBlock> {
    if (!this.isLarge(order)) return unfolded(scanHexBlock(order.raw, order.hash, order.mweb));
    if (this.#oneByOne.pendingCount >= MAX_WAITING) throw trouble('has too much to do');
    return this.#oneByOne(async () => this.#ask(order));
  }

  /** Ends the worker; whoever waits for it gets a ChainError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #ask({ raw, hash, mweb }: BlockOrder): Promise<ScannedBlock> {
    if (this.#isClosed) throw trouble('was closed');
    const worker = (this.#worker ??= this.#started());
    if (worker === null) return unfolded(scanHexBlock(raw, hash, mweb));
    const { promise, resolve, reject } = Promise.withResolvers<BlockVerdict>();
    const failed = (error: unknown): void => reject(trouble('failed', error));
    const ended = (): void => reject(trouble('ended'));
    const late = setTimeout(() => reject(trouble('takes too long')), this.#limitMs);
    worker.once('message', resolve).once('error', failed).once('messageerror', failed).once('exit', ended);
    worker.ref();
    try {
      const order: BlockOrder = { raw, hash, mweb };
      worker.postMessage(order, [raw.buffer]);
      const verdict = await promise;
      if ('problem' in verdict) throw new ChainError(verdict.problem.kind, verdict.problem.message);
      return unfolded(verdict.block);
    } catch (error) {
      if (this.#worker === worker && isTrouble(error)) await this.#discard(worker);
      throw error;
    } finally {
      clearTimeout(late);
      worker.off('message', resolve).off('error', failed).off('messageerror', failed).off('exit', ended);
      worker.unref();
    }
  }

  /** Null where no thread is to be had: a limit of processes, or of memory. */
  #started(): Worker | null {
    let worker: Worker;
    try {
      worker = new Worker(this.#script);
    } catch {
      return null;
    }
    // One that fails between two blocks must not end the process; the next block gets a new one.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }

  /** A thread that failed is never asked again. */
  async #discard(worker: Worker): Promise<void> {
    this.#worker = null;
    await worker.terminate();
  }
}

function workerScript(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./block-worker.${extension}`, import.meta.url);
}

function isTrouble(error: unknown): boolean {
  return !(error instanceof ChainError) || error.kind === 'unavailable';
}

function trouble(what: string, cause?: unknown): ChainError {
  return new ChainError('unavailable', `the thread that reads blocks ${what}`, { cause });
}
