/** Writes blocks, mempool sightings, reorgs and finality of a chain into the ledger. */
export { skipLostBlocks } from './skip-lost-blocks.ts';
export { reconcileSkippedBlocks } from './reconcile-skipped-blocks.ts';
export { FinalityCache } from './finality-cache.ts';
export type { ObserveDeps } from './observe-deps.ts';
export { reconcile } from './reconcile.ts';
export type { ReconcileDeps } from './reconciliation.ts';
export { recordBlock } from './record-block.ts';
export { recordFinality } from './record-finality.ts';
export { recordUnconfirmed } from './record-unconfirmed.ts';
export { requestOnlineRescan } from './request-online-rescan.ts';
export { rereadBlocks } from './reread-blocks.ts';
export { rescanChain, type RescanStart } from './rescan-chain.ts';
export { rollBackReorg } from './reorg.ts';
export { RecheckRoundRobin } from './round-robin.ts';
export { skipBlocks } from './skip-blocks.ts';
export { startCursor } from './start-cursor.ts';
