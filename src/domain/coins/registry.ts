import { BITCOIN } from './bitcoin.ts';
import type { CoinDefinition } from './definition.ts';
import { ETHEREUM } from './ethereum.ts';
import { LITECOIN } from './litecoin.ts';
import { SOLANA } from './solana.ts';

/** The coins tilld takes, by code, in the order the API shows them. Codes as in the API. */
export const REGISTRY = {
  BTC: BITCOIN,
  ETH: ETHEREUM,
  LTC: LITECOIN,
  SOL: SOLANA,
} as const satisfies Readonly<Record<string, CoinDefinition>>;
