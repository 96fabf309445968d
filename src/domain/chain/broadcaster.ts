import type { Lifetime } from './send-builder.ts';

export interface Broadcaster {
  /** Broadcasts signed bytes. Never throws for an unclear outcome: that is `unknown`. */
  broadcast(transaction: StoredTransaction): Promise<BroadcastResult>;
}

export interface StoredTransaction {
  readonly txid: string;
  readonly raw: string | null;
  /** Where transactions expire: its lifetime, if recorded. Needed to prove that it expired. */
  readonly lifetime?: Lifetime | undefined;
  /** It waits for its turn: a recheck must not give its bytes to a node. */
  readonly isHeld?: boolean;
}

export type BroadcastResult =
  | { readonly kind: 'accepted' }
  /** Refused for good: these bytes cannot confirm. `isExpired`: they were valid but came too late, or a second time. */
  | { readonly kind: 'rejected'; readonly reason: string; readonly isExpired?: true }
  /** No clear answer (timeout, broken connection, node busy): retry, never assume. `isLasting`: time alone will not help. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isLasting?: true };
