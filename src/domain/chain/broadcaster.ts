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
  /** Queued behind other sends: a recheck must not broadcast its bytes. */
  readonly isHeld?: boolean;
}

export type BroadcastResult =
  | { readonly kind: 'accepted' }
  /**
   * Permanently rejected: these bytes cannot confirm. `isExpired`: they were valid but were broadcast too
   * late, or twice. `isSpent`: an input is spent, or its block left the chain.
   */
  | {
      readonly kind: 'rejected';
      readonly reason: string;
      readonly isExpired?: true;
      readonly isSpent?: true;
    }
  /** No clear answer (timeout, broken connection, node busy): retry, never assume. `isLasting`: time alone will not help. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isLasting?: true };
