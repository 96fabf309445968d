import type { ChainAdapter } from './chain.ts';
import type { Coin, Mode } from './coins.ts';

/** The chains this daemon was configured with. */
export interface Chains {
  /** Null when the coin is not configured in that mode. */
  get(coin: Coin, mode: Mode): ChainAdapter | null;
}
