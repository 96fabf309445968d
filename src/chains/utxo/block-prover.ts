import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ChainError } from '../../domain/chain.ts';
import {
  type FlatBlock,
  merkleRootOf,
  openHexBlock,
  proveAlone,
  type ScannedBlock,
  unfolded,
} from './block.ts';
import { newClaims, type PieceRoots, ProofShare } from './block-proof.ts';
import type { BlockNews, BlockOrder, ThreadOrder } from './block-worker.ts';

/** Hex characters of a block of 256 kB; what is smaller takes less time than handing it over. */
const LARGE_CHARS = 512 * 1024;
/** Blocks that wait for the worker; readers take one block after the other. */
const MAX_WAITING = 2;
/**
 * A thousand times what the largest block takes: a thread that is still at it then has lost its way. Less for the
 * proof, for a transaction may be open that waits for it.
 */
const LIMITS = { readMs: 60_000, proofMs: 5_000 };
/** How long this thread hashes at a time, in turns with whatever else is to be done in it. */
const HELP_MS = 0.3;
/** A thread holds some 20 MB, and blocks are minutes apart. Starting it takes a twentieth of a second. */
const IDLE_MS = 10_000;

interface ProverOptions {
  readonly limits?: typeof LIMITS;
  readonly idleMs?: number;
  /** The program of the thread. */
  readonly script?: URL;
}

/**
 * Takes raw blocks apart and proves them (see scanBlock): large ones in a worker thread, for hashing a full
 * block would keep all requests waiting. The thread is started for the first of them and ended when no other
 * comes for a while. Where the machine gives no thread, requests have to wait. Trouble with the thread, or
 * no answer in time, is an `unavailable` ChainError; the next try gets a new thread. The memory of a large
 * block's text is handed over, too: its caller must not use it any more.
 */
export class BlockProver {
  readonly #oneByOne = pLimit(1);
  readonly #limits: typeof LIMITS;
  readonly #idleMs: number;
  readonly #script: URL;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Memory of a block that nobody looks at any more. Left to the collector, some megabytes for each would make it collect everything often. */
  #room: ArrayBuffer | null = null;
  #proving: Proving | null = null;
  #isClosed = false;

  constructor({ limits = LIMITS, idleMs = IDLE_MS, script = workerScript() }: ProverOptions = {}) {
    this.#limits = limits;
    this.#idleMs = idleMs;
    this.#script = script;
  }

  /** Whether a block is worked on in the worker, so that other things happen meanwhile. */
  isLarge({ raw }: Pick<BlockOrder, 'raw'>): boolean {
    return raw.length > LARGE_CHARS;
  }

  /** A block taken apart; a large one is still being proven, and says when it is. */
  async prove(order: BlockOrder): Promise<ScannedBlock> {
    if (!this.isLarge(order)) return provenHere(order);
    if (this.#oneByOne.pendingCount >= MAX_WAITING) throw trouble('has too much to do');
    const read = Promise.withResolvers<FlatBlock>();
    // Nobody else's turn comes before the proof.
    const proof = this.#oneByOne(async () => this.#ask(order, read.resolve));
    proof.catch(read.reject);
    return unfolded(await read.promise, proof);
  }

  /** Takes the memory of a large block for the next one; nothing of this one can be looked at any more. */
  release({ bytes, proof }: ScannedBlock): void {
    // What was read on the spot is small.
    if (proof === null) return;
    if (this.#proving?.buffer === bytes.buffer) this.#proving.isReleased = true;
    else this.#takeBack(bytes.buffer);
  }

  #endProving(): void {
    const proving = this.#proving;
    this.#proving = null;
    proving?.stop();
    if (proving?.isReleased === true) this.#takeBack(proving.buffer);
  }

  #takeBack(buffer: ArrayBuffer): void {
    if (this.#room === null && this.#worker !== null) this.#room = buffer.transfer();
    else buffer.transfer(0);
  }

  /** Ends the worker; whoever waits for it gets a ChainError. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  /** @returns once the block is proven; long before, `read` is given what it holds */
  async #ask(order: BlockOrder, read: (block: FlatBlock) => void): Promise<void> {
    if (this.#isClosed) throw trouble('was closed');
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#started());
    if (worker === null) {
      read(openAndProve(order));
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = (error: unknown): void => reject(trouble('failed', error));
    const ended = (): void => reject(trouble('ended'));
    const late = (): void => reject(trouble('takes too long'));
    let timer = setTimeout(late, this.#limits.readMs);
    const claims = newClaims();
    const heard = (news: BlockNews): void => {
      if (news.kind === 'problem') reject(new ChainError(news.error, news.message));
      else if (news.kind === 'read') {
        clearTimeout(timer);
        timer = setTimeout(late, this.#limits.proofMs);
        this.#proving = new Proving(news.block, claims);
        read(news.block);
      } else {
        try {
          if (this.#proving === null) throw trouble('hashed what it had not read');
          this.#proving.conclude(news.roots);
          resolve();
        } catch (error) {
          if (error instanceof ChainError) reject(error);
          else failed(error);
        }
      }
    };
    worker.on('message', heard).once('error', failed).once('messageerror', failed).once('exit', ended);
    worker.ref();
    try {
      const { raw, hash, mweb } = order;
      const room = this.#room;
      this.#room = null;
      const handedOver = room === null ? [raw.buffer] : [raw.buffer, room];
      worker.postMessage({ raw, hash, mweb, room, claims } satisfies ThreadOrder, handedOver);
      await promise;
    } catch (error) {
      if (this.#worker === worker && isTrouble(error)) await this.#discard(worker);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#endProving();
      worker.off('message', heard).off('error', failed).off('messageerror', failed).off('exit', ended);
      worker.unref();
      if (!this.#isClosed) this.#endWhenIdle();
    }
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => {
      if (this.#worker !== null) void this.#discard(this.#worker);
    }, this.#idleMs);
    this.#idle.unref();
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

  /** A thread that failed, or has nothing to do, is never asked again. */
  async #discard(worker: Worker): Promise<void> {
    this.#worker = null;
    this.#room?.transfer(0);
    this.#room = null;
    await worker.terminate();
  }
}

/** A block whose transactions are being hashed, in this thread, too: between other things. */
class Proving {
  readonly buffer: ArrayBuffer;
  /** Its memory stays until all is hashed. */
  isReleased = false;
  readonly #share: ProofShare;
  readonly #header: Parameters<ProofShare['conclude']>[1];
  #turn: NodeJS.Immediate;
  /** Why a piece that this thread took was not hashed: it has no memory for it. */
  #failure: { readonly cause: unknown } | null = null;

  constructor({ bytes, table, hash }: FlatBlock, claims: Int32Array) {
    this.buffer = bytes.buffer;
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#share = new ProofShare({ bytes: own, table }, claims);
    this.#header = { hash, merkleRoot: merkleRootOf(own) };
    this.#turn = setImmediate(() => this.#help());
  }

  /** @throws {ChainError} */
  conclude(others: PieceRoots): void {
    if (this.#failure !== null) throw trouble('could not be helped', this.#failure.cause);
    this.#share.conclude(others, this.#header);
  }

  stop(): void {
    clearImmediate(this.#turn);
  }

  #help(): void {
    try {
      if (this.#share.workFor(HELP_MS)) this.#turn = setImmediate(() => this.#help());
    } catch (error) {
      this.#failure = { cause: error };
    }
  }
}

function provenHere(order: BlockOrder): ScannedBlock {
  return unfolded(openAndProve(order), null);
}

function openAndProve({ raw, hash, mweb }: BlockOrder): FlatBlock {
  const { block, hashable, merkleRoot } = openHexBlock(raw, { hash, mweb, room: null });
  proveAlone(hashable, { hash, merkleRoot });
  return block;
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
