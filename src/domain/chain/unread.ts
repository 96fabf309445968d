/**
 * A transaction that the chain has and this program could not read: its money, if it moves any of ours, is not credited
 * yet. It is set aside, so that it hides no other transaction.
 */
export interface UnreadTransaction {
  readonly txid: string;
  /** Height of its block; null while it is unconfirmed. */
  readonly height: number | null;
  /** Watched account whose history lists it; null where blocks are read as a whole. */
  readonly watchKey: string | null;
  /** What could not be read. */
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

/** One in a block: an unconfirmed one is listed by the node for as long as that matters, and not stored. */
export type StoredUnread = SetAsideTransaction & { readonly height: number };

/** The stored unread transactions of one chain. Bounded by its user: see UnreadTransactions. */
export interface UnreadStore {
  list(): Promise<readonly StoredUnread[]>;
  /** Inserts or replaces. */
  put(transaction: StoredUnread): Promise<void>;
  remove(txid: string): Promise<void>;
}
