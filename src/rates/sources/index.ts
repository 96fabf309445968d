import type { RateSource } from '../source.ts';
import { bitstamp } from './bitstamp.ts';
import { coinbase } from './coinbase.ts';
import { coingecko, type CoingeckoAccess } from './coingecko.ts';
import { kraken } from './kraken.ts';

export type RateSourceName = 'kraken' | 'coinbase' | 'bitstamp' | 'coingecko';

/** The public sources of these names. */
export function publicSources(names: readonly RateSourceName[], access: CoingeckoAccess): RateSource[] {
  const factories: Readonly<Record<RateSourceName, () => RateSource>> = {
    kraken,
    coinbase,
    bitstamp,
    coingecko: () => coingecko(access),
  };
  return names.map((name) => factories[name]());
}
