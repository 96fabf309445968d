import type { AccountCoin, CoinDefinition, UtxoCoin } from './coins/definition.ts';
import { REGISTRY } from './coins/registry.ts';

export { NETWORKS, type Network } from './coins/definition.ts';

export type Coin = keyof typeof REGISTRY;
type CodesOf<Definition> = {
  [C in Coin]: (typeof REGISTRY)[C] extends Definition ? C : never;
}[Coin];
/** Coins of UTXO chains and of account chains. */
export type UtxoCoinCode = CodesOf<UtxoCoin>;
export type AccountCoinCode = CodesOf<AccountCoin>;

export const COIN_DEFINITIONS: Readonly<Record<Coin, CoinDefinition>> = REGISTRY;
/** Coin codes in the order the API shows them. */
export const COINS = Object.keys(REGISTRY) as Coin[];
export const UTXO_CODES = COINS.filter(isUtxoCoin);
export const ACCOUNT_CODES = COINS.filter((coin): coin is AccountCoinCode => !isUtxoCoin(coin));
export const UTXO_COINS: Readonly<Record<UtxoCoinCode, UtxoCoin>> = byCoin(
  UTXO_CODES,
  (coin) => REGISTRY[coin],
);
export const ACCOUNT_COINS: Readonly<Record<AccountCoinCode, AccountCoin>> = REGISTRY;

/** Whether money of a coin is held in outputs. */
export function isUtxoCoin(coin: Coin): coin is UtxoCoinCode {
  return COIN_DEFINITIONS[coin].family === 'utxo';
}

/** `live` money is on a real node's chain, `sandbox` money on the simulator. The two never mix. */
export const MODES = ['live', 'sandbox'] as const;
export type Mode = (typeof MODES)[number];

/** One chain as tilld sees it: a coin in one mode. */
export interface ChainId {
  readonly coin: Coin;
  readonly mode: Mode;
}

/** Narrows an external string to a coin code; null if it is not one. Case-sensitive. */
export function asCoin(value: string): Coin | null {
  return (COINS as readonly string[]).includes(value) ? (value as Coin) : null;
}

/** Maps each of these coins to a value. */
export function byCoin<C extends Coin, Value>(
  coins: readonly C[],
  valueOf: (coin: C) => Value,
): Record<C, Value> {
  return Object.fromEntries(coins.map((coin) => [coin, valueOf(coin)])) as Record<C, Value>;
}
