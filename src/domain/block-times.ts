import { COIN_DEFINITIONS, type Coin, type Mode, type Network } from './coins.ts';

/**
 * What the times of a chain's blocks are good for. `exact`: blocks come by the clock, and their times are right to
 * seconds. `rough`: miners set them, up to hours off, and blocks come at random. `none`: blocks come when somebody
 * asks for them, on networks for tests.
 */
export type BlockTimes = 'exact' | 'rough' | 'none';

export function blockTimesOf(chain: {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly network: Network;
}): BlockTimes {
  if (chain.mode === 'sandbox' || chain.network === 'regtest') return 'none';
  if (COIN_DEFINITIONS[chain.coin].blocks.times === 'exact') return 'exact';
  // Blocks of the test networks may fail to come for hours.
  return chain.network === 'mainnet' ? 'rough' : 'none';
}
