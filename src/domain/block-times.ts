import { COIN_DEFINITIONS, type Coin, type Mode, type Network } from './coins.ts';

/**
 * How precise a chain's block times are. `exact`: blocks come at fixed intervals, with times right to
 * seconds. `rough`: miners set the times, up to hours off, and blocks come at random. `none`: blocks are
 * mined on request, on test networks.
 */
export type BlockTimes = 'exact' | 'rough' | 'none';

export function expectedBlockTimes(chain: {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly network: Network;
}): BlockTimes {
  if (chain.mode === 'sandbox' || chain.network === 'regtest') return 'none';
  if (COIN_DEFINITIONS[chain.coin].blocks.times === 'exact') return 'exact';
  // Test networks may have no block for hours.
  return chain.network === 'mainnet' ? 'rough' : 'none';
}
