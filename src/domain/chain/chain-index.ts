import type { Credit, OutputRef } from './block.ts';
import type { UnreadStore } from './unread.ts';

/** Finds which keys and outputs of a block or the mempool are ours. Backed by indexes of the store. */
export interface ChainIndex {
  /** The subset of these watch keys that we watch. */
  watched(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * The subset of these outputs (`txid:index`) whose spending is relevant: ours, and inputs of unconfirmed
   * payments to us.
   */
  ownOutputs(refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** On account chains: each account's confirmed holdings, as outputs that no block has spent. */
  holdings(watchKeys: readonly string[]): Promise<ReadonlyMap<string, readonly Holding[]>>;
  /** On account chains: number of known confirmed transactions that spent from an account. */
  outgoing?(watchKey: string): Promise<number>;
  /** Watch keys of merchants, and of payments that are open or closed after a time, ms. */
  open(closedAfterMs: number): Promise<readonly OpenKey[]>;
  /**
   * Where the index can read both together: `open` and `holdings` in batches, so that the daemon queries the
   * node for one batch while it reads the next. Addresses issued in the meantime may be missing.
   */
  openAccounts?(closedAfterMs: number): AsyncIterable<readonly OpenAccount[]>;
  /**
   * Round robin over all watch keys ever issued: a bounded number per height, deterministic for a height, so
   * that every key recurs as heights advance.
   */
  turn(height: number): Promise<readonly OpenKey[]>;
  /** All watch keys in the order of issue, after a position (0: from the first). */
  watchKeysAfter(
    after: number,
    limit: number,
  ): Promise<readonly { readonly position: number; readonly watchKey: string }[]>;
  /** Position of the newest watch key; 0 while there is none. */
  newestPosition(): Promise<number>;
  /** Outputs that are currently in no block, with their watch keys. */
  unsettled(): Promise<readonly Pick<Credit, 'ref' | 'watchKey'>[]>;
  /**
   * When the ledger was restored from a backup, ms: it lacks money that was received and spent after the
   * backup.
   */
  restoredAt?(): Promise<number | null>;
  /** Transactions that could not be parsed; kept in memory only where the index stores none. */
  readonly unread?: UnreadStore;
  /**
   * The in-memory watch filter, where the index has one; null while it is being built: query everything then.
   */
  watchFilter?(): Promise<WatchFilter | null>;
}

/**
 * Probabilistic filter for chains whose blocks mention thousands of foreign keys. It may return false
 * positives, never a false negative for a key that was ours when the filter was returned.
 */
export interface WatchFilter {
  /** @param script bytes that contain a watch key (a script) between two offsets */
  readonly mayWatch: (script: Uint8Array, start: number, end: number) => boolean;
  /**
   * @param idTail the last 32 bits, in display order, of the id of a transaction whose output a transaction
   * spends
   */
  readonly mayOwn: (idTail: number) => boolean;
}

/** One part of an account's holdings. */
export interface Holding {
  readonly ref: OutputRef;
  readonly amount: bigint;
}

export interface OpenKey {
  readonly watchKey: string;
  /** When its address was issued, ms: earlier money came from no payer. */
  readonly since: number;
  /** Its keys are those of another wallet, which may have used the address before it was issued. */
  readonly isForeign?: true;
}

/** An open key with its account's holdings by the ledger (see ChainIndex.holdings). */
export interface OpenAccount extends OpenKey {
  readonly holdings: readonly Holding[];
  /**
   * True for a merchant's own account and for one whose payment is open: check it every time. False once its
   * payment is completed, cancelled or expired: a poll may skip it, because the round robin reaches it later.
   */
  readonly isAwaited: boolean;
}
