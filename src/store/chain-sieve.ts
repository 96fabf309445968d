import type { Sieve } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import { keyOfBytes } from '../domain/key-of-bytes.ts';
import { watchKeysAfter } from './addresses.ts';
import type { Db } from './database.ts';
import { KeySet } from './key-set.ts';
import { txidsAfter } from './outputs.ts';
import { contestedTxids } from './unconfirmed-inputs.ts';

/** Rows taken in per look: some ten milliseconds. */
const PAGE = 8_000;
/** More inputs of unconfirmed payments than this (a flood of dust) are not held; then every input is asked about. */
const MAX_CONTESTED = 5_000;
const MAX_KEY_BYTES = 512;

/**
 * Keeps a 32-bit trace of every watched script and of every transaction that paid us, so that a block
 * is sifted without a question to the database for each of its strangers. Addresses and outputs are
 * only ever added, in the order of their numbers and by one writer: each look takes in what came
 * since the last. After a start a large shop's takes many looks, until which there is no sieve.
 */
export class ChainSieve {
  readonly #db: Db;
  readonly #chain: ChainId;
  readonly #scripts = new KeySet();
  readonly #paying = new KeySet();
  readonly #key = Buffer.alloc(MAX_KEY_BYTES);
  #lastAddress = 0;
  #lastOutput = 0;

  constructor(db: Db, chain: ChainId) {
    this.#db = db;
    this.#chain = chain;
  }

  /** The sieve as of now; null while it gets ready. */
  async look(): Promise<Sieve | null> {
    const hasAll = (await this.#takeAddresses()) && (await this.#takeOutputs());
    if (!hasAll) return null;
    const contested = await contestedTxids(this.#db, this.#chain, MAX_CONTESTED + 1);
    const isFlooded = contested.length > MAX_CONTESTED;
    const spent = new Set(contested.map(idTail));
    const mayOwn = (tail: number): boolean => isFlooded || this.#paying.has(tail) || spent.has(tail);
    return {
      mayWatch: (key) => this.#scripts.has(key),
      mayOwn,
      many: {
        mayWatch: (keys) => this.#scripts.positionsIn(keys),
        mayOwn: (keys) =>
          isFlooded || spent.size > 0 ? positionsOf(keys, mayOwn) : this.#paying.positionsIn(keys),
      },
    };
  }

  async #takeAddresses(): Promise<boolean> {
    const rows = await watchKeysAfter(this.#db, this.#chain, this.#lastAddress, PAGE);
    for (const { position, watchKey } of rows) {
      const length = this.#key.write(watchKey, 'hex');
      this.#scripts.add(keyOfBytes(this.#key, 0, length));
      this.#lastAddress = Math.max(this.#lastAddress, position);
    }
    return rows.length < PAGE;
  }

  async #takeOutputs(): Promise<boolean> {
    const rows = await txidsAfter(this.#db, this.#lastOutput, PAGE);
    const { coin, mode } = this.#chain;
    for (const row of rows) {
      if (row.coin === coin && row.mode === mode) this.#paying.add(idTail(row.txid));
      this.#lastOutput = Math.max(this.#lastOutput, row.seq);
    }
    return rows.length < PAGE;
  }
}

function positionsOf(keys: Uint32Array, may: (key: number) => boolean): number[] {
  const positions: number[] = [];
  for (let at = 0; at < keys.length; at += 1) if (may(keys[at] ?? 0)) positions.push(at);
  return positions;
}

/** See Sieve.mayOwn. */
function idTail(txid: string): number {
  return Number.parseInt(txid.slice(-8), 16);
}
