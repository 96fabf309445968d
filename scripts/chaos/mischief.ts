import type { Call, Reply } from './json-rpc.ts';

/** What becomes of a whole request. */
export type Interruption =
  /** Answered without asking the node. */
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks, or nothing comes, before the node sees the request. */
  | { readonly kind: 'reset' | 'hang' }
  /** The same after the node carried it out. */
  | { readonly kind: 'resetAfter' | 'hangAfter' }
  | { readonly kind: 'delay'; readonly ms: number };

export type Rewrite = (call: Call, reply: Reply) => Reply | Promise<Reply>;

/** One way in which a node, or what stands before it, misbehaves. */
export interface Mischief {
  readonly name: string;
  /** With what it was drawn, for the report. */
  readonly details?: string;
  /** The till cannot know from what it is shown that something is missing (an empty mempool). */
  readonly hidesMempool?: boolean;
  /** Reads from the chain what it needs when it begins. */
  readonly begin?: () => Promise<void> | void;
  readonly interrupt?: (calls: readonly Call[]) => Interruption | null;
  /** Chosen once for each request: all calls of a batch come from one backend. Null: as the node says. */
  readonly rewriter?: (calls: readonly Call[]) => Rewrite | Promise<Rewrite | null> | null;
}
