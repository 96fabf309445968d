import pLimit from 'p-limit';
import { ChainError } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';
import { type BlockOrder, openBlock, type OpenBlock, readRest, type ScannedBlock } from './block.ts';
import { BlockMemory, blockModule } from './block-memory.ts';
import { readAlone } from './block-proof.ts';
import { BlockRoom } from './block-room.ts';
import type { SharedThread } from '../../thread/shared-thread.ts';
import { ProofThread, trouble } from './proof-thread.ts';
import { SharedProof } from './shared-proof.ts';

/** Hex characters of a block of 256 kB; what is smaller takes less time than telling a thread of it. */
const LARGE_CHARS = 512 * 1024;
/** No block of Bitcoin has more bytes. */
const USUAL_BYTES = 4_000_000;
/** Blocks that wait for their turn; readers take one block after the other. */
const MAX_WAITING = 2;
/** A thousand times what the largest block takes: a thread that is still at it then has lost its way. A transaction may wait for it. */
const PROOF_MS = 5_000;
/** What a block is read in holds some MB, and blocks are minutes apart. A thread that has lost its way is found by then, too. */
const IDLE_MS = PROOF_MS;
/** When a text of megabytes is given back: that holds other threads up, and whoever asked is about to commit. */
const GIVE_BACK_MS = 50;

interface ProverOptions {
  readonly logger: Pick<Logger, 'warn' | 'error'>;
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
  readonly #logger: Pick<Logger, 'warn' | 'error'>;
  #thread: ProofThread | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Where the last block was read. */
  #memory: BlockMemory | null = null;
  /** The bytes of the block that is there, while somebody may look at it. */
  #held: Buffer | null = null;
  /** The proof of the block that the thread was last ordered to hash. */
  #last: SharedProof | null = null;
  #isClosed = false;

  constructor({ logger, proofMs = PROOF_MS, idleMs = IDLE_MS, thread }: ProverOptions) {
    this.#logger = logger;
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
    if (!this.isLarge(order)) return this.#handOut(readAlone(this.#open(order), this.#logger));
    // As a rule: even to wait for nothing takes its time.
    if (this.#oneByOne.activeCount === 0 && this.#last?.isOver !== false) return this.#readLarge(order);
    if (this.#oneByOne.pendingCount >= MAX_WAITING) throw trouble('has too much to do');
    return this.#oneByOne(async () => {
      // Nobody else's turn comes before the proof.
      await this.#last?.over();
      return this.#readLarge(order);
    });
  }

  /** Nobody looks at a block any more: the next one can be read in its place. */
  release({ bytes }: ScannedBlock): void {
    if (this.#held === bytes) this.#held = null;
  }

  /** Whoever waits for the thread gets a ChainError. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#last?.giveUp(trouble('was closed'));
    this.#thread?.close();
  }

  /** While nobody is at work for the block before. */
  #readLarge(order: BlockOrder): ScannedBlock {
    if (this.#isClosed) throw trouble('was closed');
    try {
      const open = this.#open(order);
      const thread = this.#startedThread();
      return this.#handOut(thread === null ? readAlone(open, this.#logger) : this.#readWith(thread, open));
    } finally {
      if (!this.#isClosed) this.#endWhenIdle();
      // Here, and not by the collector, which would collect more often for them.
      setTimeout(() => order.raw.buffer.transfer(0), GIVE_BACK_MS).unref();
    }
  }

  /** Reads a block while the thread hashes it. */
  #readWith(thread: ProofThread, open: OpenBlock): ScannedBlock {
    const { memory } = open;
    try {
      thread.order(memory.room);
    } catch (error) {
      // It never hears of it.
      void this.#discard(thread);
      throw error;
    }
    const proof = new SharedProof(open, {
      thread,
      limitMs: this.#proofMs,
      onFailed: async () => this.#discard(thread),
      onLate: () => this.#forget(memory),
      logger: this.#logger,
    });
    this.#last = proof;
    try {
      return { ...readRest(open), proof: async () => proof.settled() };
    } catch (error) {
      proof.giveUp(error);
      throw error;
    }
  }

  #handOut(block: ScannedBlock): ScannedBlock {
    this.#held = block.bytes;
    return block;
  }

  /** Reads the beginning of a block where no other is. */
  #open(order: BlockOrder): OpenBlock {
    const bytes = order.raw.length / 2;
    const isProven = this.#last === null || this.#last.memory !== this.#memory || this.#last.isOver;
    const isFree = this.#held === null && isProven;
    if (this.#memory === null || !isFree || this.#memory.room.capacity < bytes) {
      this.#memory = newMemory(Math.max(bytes, USUAL_BYTES), this.#logger);
      this.#held = null;
    }
    return openBlock(this.#memory, order);
  }

  #startedThread(): ProofThread | null {
    if (this.#thread?.hasEnded === true) this.#thread = null;
    if (this.#shared === null) return null;
    return (this.#thread ??= ProofThread.start(this.#shared));
  }

  /** One timer for all blocks: to begin one costs as much as to end it. */
  #endWhenIdle(): void {
    this.#idle = this.#idle?.refresh() ?? setTimeout(() => this.#whenIdle(), this.#idleMs).unref();
  }

  #whenIdle(): void {
    this.#idle = undefined;
    // Whoever is being served begins it anew.
    if (this.#oneByOne.activeCount === 0) void this.#oneByOne(async () => this.#rest());
  }

  async #rest(): Promise<void> {
    await this.#last?.over();
    this.#last = null;
    this.#memory = null;
    this.#thread?.close();
    this.#thread = null;
  }

  /** Nothing is read there any more. */
  #forget(memory: BlockMemory): void {
    if (this.#memory === memory) this.#memory = null;
  }

  /** A thread that failed is never asked again. */
  async #discard(thread: ProofThread): Promise<void> {
    if (this.#thread === thread) this.#thread = null;
    if (!thread.hasEnded) await thread.giveUp(trouble('hangs'));
  }
}

function newMemory(capacity: number, logger: Pick<Logger, 'warn'>): BlockMemory {
  const onUsual = (): void =>
    logger.warn(
      {},
      'blocks are hashed more slowly: on this machine, Node does not calculate rightly with wide vectors (AVX2), and does without them',
    );
  try {
    return new BlockMemory(new BlockRoom(capacity), blockModule(onUsual));
  } catch (error) {
    throw new ChainError('unavailable', 'there is no memory for a block', { cause: error });
  }
}
