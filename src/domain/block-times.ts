import type { Coin, Mode, Network } from './coins.ts';

/**
 * What the times of a chain's blocks are good for. `exact`: blocks come by the clock, and their times are right to
 * seconds. `rough`: miners set them, up to hours off, and blocks come at random. `none`: blocks come when somebody
 * asks for them, on networks for tests.
 */
export type BlockTimes = 'exact' | 'rough' | 'none';

const EXACT: ReadonlySet<Coin> = new Set(['ETH', 'SOL']);

export function blockTimesOf(chain: {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly network: Network;
}): BlockTimes {
  if (chain.mode === 'sandbox' || chain.network === 'regtest') return 'none';
  if (EXACT.has(chain.coin)) return 'exact';
  // Blocks of the test networks of Bitcoin and Litecoin may fail to come for hours.
  return chain.network === 'mainnet' ? 'rough' : 'none';
}

const MINUTE_MS = 60_000;

/**
 * A newest block older than this is not the network's: the node is behind, whatever it says. Bitcoin and Litecoin
 * take longer for a block once in some eight thousand: then expiry waits for the next block, and nothing else.
 */
export const OLDEST_TIP_MS: Readonly<Record<Coin, number>> = {
  BTC: 90 * MINUTE_MS,
  LTC: 23 * MINUTE_MS,
  ETH: 2 * MINUTE_MS,
  SOL: 2 * MINUTE_MS,
};
