import { BITCOIN } from './bitcoin.ts';
import type { CoinDefinition } from './definition.ts';
import { ETHEREUM } from './ethereum.ts';
import { LITECOIN } from './litecoin.ts';
import { SOLANA } from './solana.ts';

/** The coins tilld accepts, by their code in the API and in the order the API shows them. */
export const REGISTRY = {
  BTC: BITCOIN,
  ETH: ETHEREUM,
  LTC: LITECOIN,
  SOL: SOLANA,
} as const satisfies Readonly<Record<string, CoinDefinition>>;
