import type { RateSource } from '../source.ts';
import { bitstamp } from './bitstamp.ts';
import { coinbase } from './coinbase.ts';
import { coingecko } from './coingecko.ts';
import { kraken } from './kraken.ts';

const FACTORIES = { kraken, coinbase, bitstamp, coingecko } as const;

export type RateSourceName = keyof typeof FACTORIES;

/** The public sources of these names. */
export function publicSources(names: readonly RateSourceName[]): RateSource[] {
  return names.map((name) => FACTORIES[name]());
}
