/** The coins tilld takes, in the order the API shows them. Codes as in spec.md. */
export const COINS = ['BTC', 'ETH', 'LTC', 'SOL'] as const;
export type Coin = (typeof COINS)[number];

/** `live` money sits on a real node's chain, `sandbox` money on the simulator. The two never mix. */
export const MODES = ['live', 'sandbox'] as const;
export type Mode = (typeof MODES)[number];

/** The network a chain adapter runs on. Simulated chains use `testnet` address formats. */
export const NETWORKS = ['mainnet', 'testnet', 'regtest'] as const;
export type Network = (typeof NETWORKS)[number];

interface CoinInfo {
  readonly name: string;
  /** Decimal places between the coin and its atom (satoshi, litoshi, wei, lamport). */
  readonly decimals: number;
  readonly atom: string;
}

export const COIN_INFO: Readonly<Record<Coin, CoinInfo>> = {
  BTC: { name: 'Bitcoin', decimals: 8, atom: 'satoshi' },
  ETH: { name: 'Ethereum', decimals: 18, atom: 'wei' },
  LTC: { name: 'Litecoin', decimals: 8, atom: 'litoshi' },
  SOL: { name: 'Solana', decimals: 9, atom: 'lamport' },
};

/** One chain as tilld sees it: a coin in one mode. */
export interface ChainId {
  readonly coin: Coin;
  readonly mode: Mode;
}

/** Narrows an outside string to a coin code; null when it names none. Case-sensitive. */
export function asCoin(value: string): Coin | null {
  return (COINS as readonly string[]).includes(value) ? (value as Coin) : null;
}
