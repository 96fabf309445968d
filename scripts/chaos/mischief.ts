import type { Call, Reply } from './json-rpc.ts';

/** What happens to a whole request. */
export type Interruption =
  /** A response without the node. */
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks, or times out, before the request reaches the node. */
  | { readonly kind: 'reset' | 'hang' }
  /** The same after the node executed the request. */
  | { readonly kind: 'resetAfter' | 'hangAfter' }
  | { readonly kind: 'delay'; readonly ms: number };

export type Rewrite = (call: Call, reply: Reply) => Reply | Promise<Reply>;

/** One fault of a node, or of a proxy in front of it. */
export interface Mischief {
  readonly name: string;
  /** Its random parameters, for the report. */
  readonly details?: string;
  /** The daemon cannot detect that something is missing (an empty mempool). */
  readonly hidesMempool?: boolean;
  /** Reads the required data from the chain when the fault begins. */
  readonly begin?: () => Promise<void> | void;
  readonly interrupt?: (calls: readonly Call[]) => Interruption | null;
  /** Chosen once per request, because all calls of a batch go to one backend. Null: no change. */
  readonly rewriter?: (calls: readonly Call[]) => Rewrite | Promise<Rewrite | null> | null;
}
