/** How long rows of passing interest are kept, and their removal. */
export { applyRetention, prune } from './prune.ts';
