/** The nodes that one test run shares (started by global-setup.ts). */
import { inject } from 'vitest';
import type { NodeCoin } from './coins.ts';
import { type NodeAddress, NodeHandle } from './node-handle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    regtestNodes: Partial<Record<NodeCoin, NodeAddress>>;
  }
}

/**
 * The shared node of a coin. Others use it at the same time: only mine and pay there, and
 * expect foreign transactions. Reorgs, outages and exact mempools need a node of their own.
 */
export function attachNode(coin: NodeCoin): NodeHandle {
  const address = inject('regtestNodes')[coin];
  if (address === undefined) throw new Error(`no shared ${coin} node in this run`);
  return new NodeHandle(address);
}
