import type { ChainIndex } from '../../src/domain/chain.ts';

/** The part of an index that chains of outputs never ask for. */
export const NO_ACCOUNTS: Pick<
  ChainIndex,
  'holdings' | 'open' | 'turn' | 'watchKeysAfter' | 'newestPosition' | 'unsettled'
> = {
  holdings: async () => new Map(),
  open: async () => [],
  turn: async () => [],
  watchKeysAfter: async () => [],
  newestPosition: async () => 0,
  unsettled: async () => [],
};
