import type { Lifetime } from './send-builder.ts';

export interface Broadcaster {
  /** Hands signed bytes to the node. Never throws for an unclear outcome: that is `unknown`. */
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
}

export interface StoredTransaction {
  readonly txid: string;
  readonly raw: string | null;
  /** Where transactions expire: what it is dated with, if that was written down. Proof of its end needs it. */
  readonly lifetime?: Lifetime | undefined;
}

export type BroadcastResult =
  | { readonly kind: 'accepted' }
  /** The node refused these bytes for good: they cannot confirm. `isExpired`: they were fine, and came too late, if not twice. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly isExpired?: true }
  /** No clear answer (timeout, broken connection, node busy): try again, never assume. `isLasting`: time alone brings none. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isLasting?: true };
