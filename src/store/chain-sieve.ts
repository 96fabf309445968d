import type { Sieve } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import { watchKeysAfter } from './addresses.ts';
import type { ChangeWatch, Stand } from './change-watch.ts';
import type { Db } from './database.ts';
import { KeySet } from './key-set.ts';
import { txidsAfter } from './outputs.ts';
import { changeWatchOf } from './runners.ts';
import type { KeptTable } from './table-writes.ts';
import { contestedTxids } from './unconfirmed-inputs.ts';

/** Rows taken in per look: some ten milliseconds. */
const PAGE = 8_000;
/** More inputs of unconfirmed payments than this (a flood of dust) are not held; then every input is asked about. */
const MAX_CONTESTED = 5_000;
const MAX_KEY_BYTES = 512;

/** What unconfirmed payments to us spend. */
interface Contested {
  /** Too much to be held. */
  readonly isFlooded: boolean;
  readonly tails: KeySet;
}

/**
 * Keeps a 32-bit trace of every watched script and of every transaction that paid us, so that a block
 * is sifted without a question to the database for each of its strangers. Addresses and outputs are
 * only ever added, in the order of their numbers and by one writer: each look takes in what came
 * since the last. After a start a large shop's takes many looks, until which there is no sieve.
 *
 * A look asks the database for a table only when it may hold anything new: when this process wrote to it since
 * (see ChangeWatch), or another process wrote anything.
 */
export class ChainSieve {
  readonly #db: Db;
  readonly #chain: ChainId;
  readonly #scripts = new KeySet();
  readonly #paying = new KeySet();
  readonly #key = Buffer.alloc(MAX_KEY_BYTES);
  /** Of each table that was read to its end, as of when. */
  readonly #read = new Map<KeptTable, Stand>();
  #contested: Contested = { isFlooded: true, tails: new KeySet() };
  #lastAddress = 0;
  #lastOutput = 0;
  #isHearing = false;

  constructor(db: Db, { coin, mode }: ChainId) {
    this.#db = db;
    this.#chain = { coin, mode };
  }

  /** The sieve as of now; null while it gets ready. */
  async look(): Promise<Sieve | null> {
    const watch = changeWatchOf(this.#db);
    if (watch !== null) this.#hear(watch);
    // Before anything is read: what is written meanwhile is read again.
    const now = watch?.stand() ?? null;
    const hasAll =
      (await this.#catchUp('addresses', now, () => this.#takeAddresses())) &&
      (await this.#catchUp('outputs', now, () => this.#takeOutputs())) &&
      (await this.#catchUp('unconfirmed_inputs', now, () => this.#takeContested()));
    return hasAll ? this.#sieve(this.#contested) : null;
  }

  #sieve({ isFlooded, tails }: Contested): Sieve {
    return {
      mayWatch: (script, start, end) => this.#scripts.has(keyOf(script, start, end)),
      mayOwn: (tail) => isFlooded || this.#paying.has(tail) || tails.has(tail),
    };
  }

  /** What is not counted as written must be heard of. */
  #hear(watch: ChangeWatch): void {
    if (this.#isHearing) return;
    this.#isHearing = true;
    const { coin, mode } = this.#chain;
    watch.hearOutputs((output) => {
      if (output.coin === coin && output.mode === mode) this.#paying.add(idTail(output.txid));
    });
  }

  /**
   * Reads a table unless nothing can have been written to it since it was read to its end.
   * @returns whether all of it was read
   */
  async #catchUp(table: KeptTable, now: Stand | null, read: () => Promise<boolean>): Promise<boolean> {
    const last = this.#read.get(table);
    if (last !== undefined && now !== null && isSame(table, last, now)) return true;
    const hasAll = await read();
    if (hasAll && now !== null) this.#read.set(table, now);
    return hasAll;
  }

  async #takeAddresses(): Promise<boolean> {
    const rows = await watchKeysAfter(this.#db, this.#chain, this.#lastAddress, PAGE);
    for (const { position, watchKey } of rows) {
      const length = this.#key.write(watchKey, 'hex');
      this.#scripts.add(keyOf(this.#key, 0, length));
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

  async #takeContested(): Promise<boolean> {
    const txids = await contestedTxids(this.#db, this.#chain, MAX_CONTESTED + 1);
    const tails = new KeySet();
    for (const txid of txids) tails.add(idTail(txid));
    this.#contested = { isFlooded: txids.length > MAX_CONTESTED, tails };
    return true;
  }
}

function isSame(table: KeptTable, a: Stand, b: Stand): boolean {
  return a.foreign === b.foreign && a.writes[table] === b.writes[table];
}

/** Where in a script the four bytes begin that tell it from others: behind what scripts of one kind have in common. */
const TOLD_AT = 4;
const TOLD_BYTES = 4;

/**
 * A 32-bit number for a watch key between two offsets: four of its bytes as they are, for scripts hold hashes already.
 * Of shorter ones, all bytes (FNV-1a).
 */
function keyOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start >= TOLD_AT + TOLD_BYTES) {
    const at = start + TOLD_AT;
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    return (low | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
  }
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** See Sieve.mayOwn. */
function idTail(txid: string): number {
  return Number.parseInt(txid.slice(-8), 16);
}
