/**
 * A transaction that the chain has and this program could not parse, so any of our money that it moves is not
 * credited yet. It is set aside so that it does not block other transactions.
 */
export interface UnreadTransaction {
  readonly txid: string;
  /** Height of its block; null while it is unconfirmed. */
  readonly height: number | null;
  /** Watched account whose history lists it; null where whole blocks are read. */
  readonly watchKey: string | null;
  /** Why it could not be parsed. */
  readonly reason: string;
  /** Its format is newer than this program. */
  readonly isUnknownVersion: boolean;
}

/** A stored unread transaction and its retries; times in ms. */
export interface SetAsideTransaction extends UnreadTransaction {
  readonly firstSeenAt: number;
  readonly attempts: number;
  readonly retryAt: number;
}

/** One in a block. An unconfirmed one is not stored, because the node lists it for as long as it matters. */
export type StoredUnread = SetAsideTransaction & { readonly height: number };

/** The stored unread transactions of one chain. UnreadTransactions bounds their number. */
export interface UnreadStore {
  list(): Promise<readonly StoredUnread[]>;
  /** Inserts or replaces. */
  put(transaction: StoredUnread): Promise<void>;
  remove(txid: string): Promise<void>;
}
