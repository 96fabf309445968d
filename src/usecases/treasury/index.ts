/** The treasury of a shop: what it holds and where, what is promised, and what its limits leave today. */
export { readTreasury, type TreasuryDeps } from './read-treasury.ts';
