import type { ChainIndex } from '../../src/domain/chain.ts';

/** The part of an index that only chains of accounts ask. */
export const NO_ACCOUNTS: Pick<ChainIndex, 'holdings' | 'open' | 'watchKeysAfter'> = {
  holdings: async () => new Map(),
  open: async () => [],
  watchKeysAfter: async () => [],
};
