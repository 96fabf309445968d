import type { Broadcaster } from './chain/broadcaster.ts';
import type { ChainReader } from './chain/reader.ts';
import type { ChainFunds } from './chain/reconciler.ts';
import type { SendBuilder } from './chain/send-builder.ts';

export * from './chain/block.ts';
export * from './chain/broadcaster.ts';
export * from './chain/errors.ts';
export * from './chain/chain-index.ts';
export * from './chain/reader.ts';
export * from './chain/reconciler.ts';
export * from './chain/send-builder.ts';
export * from './chain/unread.ts';

/**
 * The port every chain adapter implements. No node-specific types cross it, and all amounts are
 * bigint atoms. A capability of only some chains is an object of its own, present as a whole or
 * not at all.
 */
export interface ChainAdapter extends ChainReader, SendBuilder, Broadcaster {
  /** Absent on simulated chains, which are never reconciled. */
  readonly funds?: ChainFunds;
  close(): Promise<void>;
}
