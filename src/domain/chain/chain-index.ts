import type { Credit, OutputRef } from './block.ts';

/** Finds which of the things a block or mempool mentions are ours. Backed by the store's indexes. */
export interface ChainIndex {
  /** Of these watch keys, the ones we watch. */
  watched(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Of these outputs (`txid:index`), those whose spending concerns us: ours, and those that unconfirmed payments to us spend. */
  ownOutputs(refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** On chains of accounts: what each account holds in blocks, as outputs that no block has spent. */
  holdings(watchKeys: readonly string[]): Promise<ReadonlyMap<string, readonly Holding[]>>;
  /** On chains of accounts: how many transactions that spent from an account are known in blocks. */
  outgoing?(watchKey: string): Promise<number>;
  /** The merchants' own watch keys, and those of payments that wait for money or closed after a time, ms. */
  open(closedAfterMs: number): Promise<readonly OpenKey[]>;
  /**
   * Where the index can read both together: as `open` and `holdings`, piece by piece, so that a node is asked
   * about the first while the next are read. What is given out meanwhile need not be among them.
   */
  openAccounts?(closedAfterMs: number): AsyncIterable<readonly OpenAccount[]>;
  /**
   * The share of all watch keys ever given out whose turn it is at a height: a bounded number, the
   * same for the same height, and every key again and again as heights go by.
   */
  turn(height: number): Promise<readonly OpenKey[]>;
  /** All watch keys in the order in which they were given out, those after a position (0: from the first). */
  watchKeysAfter(
    after: number,
    limit: number,
  ): Promise<readonly { readonly position: number; readonly watchKey: string }[]>;
  /** Outputs that no block holds at the moment, with their watch keys. */
  unsettled(): Promise<readonly Pick<Credit, 'ref' | 'watchKey'>[]>;
  /** When the ledger was put back from a backup, ms: what was received and sent on between is not in it. */
  restoredAt?(): Promise<number | null>;
  /** A first look without the database, where the index has one; null while it gets ready: then ask about everything. */
  sieve?(): Promise<WatchFilter | null>;
}

/**
 * Holds back what is certainly not ours, for chains whose blocks mention thousands of strangers. Says
 * maybe to some of those, too; never no to what was ours when the sieve was handed out.
 */
export interface WatchFilter {
  /** @param script bytes in which a watch key (a script) lies between two offsets */
  readonly mayWatch: (script: Uint8Array, start: number, end: number) => boolean;
  /** @param idTail the last 32 bits of the id of a transaction whose output is spent, as it is written */
  readonly mayOwn: (idTail: number) => boolean;
}

/** One part of what an account holds. */
export interface Holding {
  readonly ref: OutputRef;
  readonly amount: bigint;
}

export interface OpenKey {
  readonly watchKey: string;
  /** When its address was given out, ms: what it held before came from no payer. */
  readonly since: number;
}

/** An open key with what the ledger says that its account holds (see ChainIndex.holdings). */
export interface OpenAccount extends OpenKey {
  readonly held: readonly Holding[];
  /**
   * True for a merchant's own account and for one whose payment still waits for money: look at it every time. False
   * once its payment is completed, cancelled or expired: a look may leave it out, it has its turn later.
   */
  readonly isAwaited: boolean;
}
