/** What waits for the people of a shop: one list, derived from the current state. */
export type { AttentionDeps, ServerFaults } from './attention-deps.ts';
export { dismissItem } from './dismiss-item.ts';
export { listAttention } from './list-attention.ts';
