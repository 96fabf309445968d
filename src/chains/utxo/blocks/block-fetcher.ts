import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainBlock, WatchFilter } from '../../../domain/chain.ts';
import { openBlock, type RawBlock } from './block.ts';
import { type BlockReaderDeps, prunedError, reduceBlock } from './read-block.ts';

/** Blocks per request: even if each had the largest size, the answer stays in bounds. */
const MAX_BLOCKS = 10;
/** A block of more hex characters ends its row: reading several such at once would keep requests waiting. */
const LARGE_CHARS = 1_000_000;
/** Hex characters per request that are aimed at, judged by the last answer: four full blocks. */
const AIM_CHARS = 16_000_000;

interface Batch {
  readonly from: number;
  readonly blocks: Promise<readonly RawBlock[]>;
}

/**
 * Reads a chain block after block: from the second request on several in one, the next ones while these are worked on.
 * What is fetched ahead is bytes only; each block is handed out once, and after any surprise everything ahead is
 * fetched anew.
 */
export class BlockFetcher {
  readonly #deps: BlockReaderDeps;
  #ready: RawBlock[] = [];
  #ahead: Batch | null = null;
  #size = 1;
  /** Whether blocks were read since it began anew: then more will be wanted. At the tip they come one by one. */
  #isFollowing = false;

  constructor(deps: BlockReaderDeps) {
    this.#deps = deps;
  }

  /**
   * See ChainAdapter.hashAt. Whoever asks which chain is the best wants nothing that was fetched before the
   * answer: after a pause a whole row of blocks may have left the chain, and would seem to confirm each other.
   */
  async hashAt(height: number): Promise<string | null> {
    this.#reset();
    return this.#deps.client.blockHash(height);
  }

  /** See ChainAdapter.blocksFrom. */
  async blocksFrom(height: number): Promise<readonly ChainBlock[]> {
    try {
      return await this.#take(height);
    } catch (error) {
      this.#reset();
      throw error;
    }
  }

  #reset(): void {
    this.#ready = [];
    this.#ahead = null;
    this.#size = 1;
    this.#isFollowing = false;
  }

  async #take(height: number): Promise<readonly ChainBlock[]> {
    if (this.#ready[0]?.height !== height) this.#ready = [];
    if (this.#ready.length === 0) await this.#refill(height);
    let sieve: WatchFilter | null | undefined;
    const blocks: ChainBlock[] = [];
    for (let raw = this.#ready.shift(); raw !== undefined; raw = this.#ready.shift()) {
      const isLarge = raw.raw.length > LARGE_CHARS;
      const opened = openBlock(raw);
      // The other half of the work on it: requests come in between.
      if (isLarge) await nextTurn();
      // One look serves a row of small blocks; in between, the index may have changed.
      if (sieve === undefined || isLarge) sieve = (await this.#deps.index.sieve?.()) ?? null;
      const block = await reduceBlock(this.#deps, raw.height, opened, sieve);
      const parent = blocks.at(-1);
      if (parent !== undefined && block.parentHash !== parent.hash) {
        // The chain changed between two of them.
        this.#reset();
        break;
      }
      blocks.push(block);
      // What it brings must be in the ledger before the next one can be understood.
      if (block.credits.length > 0 || block.debits.length > 0 || isLarge) break;
    }
    return blocks;
  }

  async #refill(height: number): Promise<void> {
    const ahead = this.#ahead?.from === height ? await this.#ahead.blocks : [];
    this.#ahead = null;
    const asked = this.#size;
    // Nothing ahead, or nothing yet when it was looked for.
    this.#ready = [...(ahead.length > 0 ? ahead : await this.#read(height, asked))];
    const { length } = this.#ready;
    if (length === 0) return;
    const chars = this.#ready.reduce((sum, { raw }) => sum + raw.length, 0);
    const affordable = Math.floor((AIM_CHARS * length) / Math.max(chars, 1));
    this.#size = Math.max(1, Math.min(MAX_BLOCKS, 2 * asked, affordable));
    if (this.#isFollowing && length >= asked) this.#lookAhead(height + length);
    this.#isFollowing = true;
  }

  #lookAhead(from: number): void {
    const blocks = this.#read(from, this.#size);
    // Its error is for whoever comes for it; nobody may.
    blocks.catch(() => undefined);
    this.#ahead = { from, blocks };
  }

  async #read(from: number, count: number): Promise<RawBlock[]> {
    const { client } = this.#deps;
    const hashes = await client.blockHashes(Array.from({ length: count }, (_, at) => from + at));
    const end = hashes.indexOf(null);
    const known = (end === -1 ? hashes : hashes.slice(0, end)).filter((hash) => hash !== null);
    const raws = await client.rawBlocks(known);
    const blocks: RawBlock[] = [];
    for (const [at, hash] of known.entries()) {
      const raw = raws[at] ?? null;
      if (raw === null && at === 0) throw await prunedError(client, from);
      if (raw === null) break;
      blocks.push({ height: from + at, hash, raw });
    }
    return blocks;
  }
}
