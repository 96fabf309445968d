import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChainBlock, WatchFilter } from '../../../domain/chain.ts';
import { openBlock, type RawBlock } from './block.ts';
import { type BlockReaderDeps, prunedError, reduceBlock } from './read-block.ts';

/** Blocks per request: even if each had the maximum size, the answer stays within its limit. */
const MAX_BLOCKS = 10;
/** A block of more hex characters ends its batch, because parsing several at once would delay API requests. */
const LARGE_CHARS = 1_000_000;
/** Target size of an answer in hex characters (four full blocks), estimated from the last answer. */
const AIM_CHARS = 16_000_000;

interface Batch {
  readonly from: number;
  readonly blocks: Promise<readonly RawBlock[]>;
}

/**
 * Reads a chain in order: from the second request on several blocks per request, prefetching the next ones while these
 * are processed. The prefetch holds bytes only; each block is returned once, and anything unexpected discards the
 * prefetch.
 */
export class BlockFetcher {
  readonly #deps: BlockReaderDeps;
  #ready: RawBlock[] = [];
  #ahead: Batch | null = null;
  #size = 1;
  /**
   * Whether blocks were read since the last reset, so that more will be needed. At the tip they arrive one by
   * one.
   */
  #isFollowing = false;

  constructor(deps: BlockReaderDeps) {
    this.#deps = deps;
  }

  /**
   * See ChainAdapter.hashAt. Querying the best chain discards the prefetch: after a pause a whole run of
   * prefetched blocks may have left the chain, although they are consistent with each other.
   */
  async hashAt(height: number): Promise<string | null> {
    this.#reset();
    return this.#deps.client.getBlockHash(height);
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
    let watchFilter: WatchFilter | null | undefined;
    const blocks: ChainBlock[] = [];
    for (let raw = this.#ready.shift(); raw !== undefined; raw = this.#ready.shift()) {
      const isLarge = raw.raw.length > LARGE_CHARS;
      const opened = openBlock(raw);
      // Yields, so that API requests are served before the second half of its processing.
      if (isLarge) await nextTurn();
      // One filter serves a run of small blocks; across a yield the index may change.
      if (watchFilter === undefined || isLarge)
        watchFilter = (await this.#deps.index.watchFilter?.()) ?? null;
      const block = await reduceBlock(this.#deps, raw.height, opened, watchFilter);
      const parent = blocks.at(-1);
      if (parent !== undefined && block.parentHash !== parent.hash) {
        // The chain changed between two of them.
        this.#reset();
        break;
      }
      blocks.push(block);
      // Its credits and debits must be in the ledger before the next block can be matched.
      if (block.credits.length > 0 || block.debits.length > 0 || isLarge) break;
    }
    return blocks;
  }

  async #refill(height: number): Promise<void> {
    const ahead = this.#ahead?.from === height ? await this.#ahead.blocks : [];
    this.#ahead = null;
    const size = this.#size;
    // Nothing was prefetched, or the blocks did not exist at that time.
    this.#ready = [...(ahead.length > 0 ? ahead : await this.#read(height, size))];
    const { length } = this.#ready;
    if (length === 0) return;
    const chars = this.#ready.reduce((sum, { raw }) => sum + raw.length, 0);
    const affordable = Math.floor((AIM_CHARS * length) / Math.max(chars, 1));
    this.#size = Math.max(1, Math.min(MAX_BLOCKS, 2 * size, affordable));
    if (this.#isFollowing && length >= size) this.#lookAhead(height + length);
    this.#isFollowing = true;
  }

  #lookAhead(from: number): void {
    const blocks = this.#read(from, this.#size);
    // Only a caller that awaits it handles the error, and there may be none.
    blocks.catch(() => undefined);
    this.#ahead = { from, blocks };
  }

  async #read(from: number, count: number): Promise<RawBlock[]> {
    const { client } = this.#deps;
    const hashes = await client.getBlockHashes(Array.from({ length: count }, (_, at) => from + at));
    const end = hashes.indexOf(null);
    const known = (end === -1 ? hashes : hashes.slice(0, end)).filter((hash) => hash !== null);
    const raws = await client.getBlocks(known);
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
