import type { ChainId } from '../../domain/coins.ts';

/**
 * Whether a send can draw on one address only, the merchant's own, so that deposits must be moved
 * there first. The simulated chains spend any address, whatever their coin.
 */
export function sendsFromOneAddress({ coin, mode }: ChainId): boolean {
  return coin === 'ETH' && mode === 'live';
}
