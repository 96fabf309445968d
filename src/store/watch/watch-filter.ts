import type { WatchFilter } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { watchKeysAfter } from '../ledger/addresses.ts';
import type { Db } from '../sqlite/database.ts';
import { txidsAfter } from '../ledger/outputs.ts';
import { Uint32Set } from './uint32-set.ts';
import { contestedTxids } from '../ledger/unconfirmed-inputs.ts';

/** Rows added per call, which takes some ten milliseconds. */
const PAGE = 8_000;
/**
 * Maximum inputs of unconfirmed payments that are stored; beyond that (a flood of dust) every input is
 * queried.
 */
const MAX_CONTESTED = 5_000;
const MAX_KEY_BYTES = 512;

/**
 * A 32-bit fingerprint of every watched script and of every transaction that paid us, so that filtering a
 * block needs no query for each foreign output. Addresses and outputs are only ever added, in numeric order
 * and by one writer: each call reads the additions since the last. After a start, a large shop needs many
 * calls, until which there is no filter.
 */
export class StoredWatchFilter {
  readonly #db: Db;
  readonly #chain: ChainId;
  readonly #scripts = new Uint32Set();
  readonly #paying = new Uint32Set();
  readonly #key = Buffer.alloc(MAX_KEY_BYTES);
  #lastAddress = 0;
  #lastOutput = 0;

  constructor(db: Db, { coin, mode }: ChainId) {
    this.#db = db;
    this.#chain = { coin, mode };
  }

  /** The current filter; null while it is being built. */
  async read(): Promise<WatchFilter | null> {
    this.#db.database.changes.refresh();
    const hasAll = (await this.#takeAddresses()) && (await this.#takeOutputs());
    if (!hasAll) return null;
    const contested = await contestedTxids(this.#db, this.#chain, MAX_CONTESTED + 1);
    const isFlooded = contested.length > MAX_CONTESTED;
    const contestedTails = new Set(contested.map(idTail));
    return {
      mayWatch: (script, start, end) => this.#scripts.has(toFingerprint(script, start, end)),
      mayOwn: (tail) => isFlooded || this.#paying.has(tail) || contestedTails.has(tail),
    };
  }

  async #takeAddresses(): Promise<boolean> {
    const rows = await watchKeysAfter(this.#db, this.#chain, this.#lastAddress, PAGE);
    for (const { position, watchKey } of rows) {
      const length = this.#key.write(watchKey, 'hex');
      this.#scripts.add(toFingerprint(this.#key, 0, length));
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

/** Offset of the four bytes that distinguish a script, after the common prefix of its kind. */
const FINGERPRINT_OFFSET = 4;
const TOLD_BYTES = 4;

/**
 * A 32-bit number for a watch key between two offsets: four of its bytes unchanged, because scripts contain
 * hashes. For shorter ones, all bytes (FNV-1a).
 */
function toFingerprint(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= FINGERPRINT_OFFSET + TOLD_BYTES) {
    const at = start + FINGERPRINT_OFFSET;
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    return (low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
  }
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** See WatchFilter.mayOwn. */
function idTail(txid: string): number {
  return Number.parseInt(txid.slice(-8), 16);
}
