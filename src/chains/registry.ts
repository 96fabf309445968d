import type { ChainAdapter, ChainIndex } from '../domain/chain.ts';
import type { ChainId, Coin, Network } from '../domain/coins.ts';
import { addressNetwork } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { COIN_FORMATS } from './simulator/formats.ts';
import { createSolanaAdapter } from './solana/adapter.ts';
import { createUtxoAdapter } from './utxo/adapter.ts';
import { addressScript } from './utxo/address.ts';
import { UTXO_COINS } from './utxo/coins.ts';

/** What a live chain needs to run, whatever its family. */
export interface LiveChainOptions {
  readonly network: Network;
  readonly rpcUrl: string;
  readonly cookieFile: string | undefined;
  readonly rpcTimeoutMs: number;
  readonly feeFloorRate: bigint | undefined;
  readonly feeCapRate: bigint | undefined;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface LiveFamily {
  create(options: LiveChainOptions): ChainAdapter;
  /** The key under which the chain finds payments to an address. Pure: needed without a node, too. */
  watchKey(network: Network, address: string): string;
}

function utxo(coin: 'BTC' | 'LTC'): LiveFamily {
  return {
    create: (options) => createUtxoAdapter({ coin, ...options }),
    watchKey: (network, address) => addressScript(UTXO_COINS[coin], network, address).toString('hex'),
  };
}

/** Coins whose live adapter is not part of this version yet: their addresses exist, their nodes are refused. */
function accountOnly(coin: 'ETH'): Pick<LiveFamily, 'watchKey'> {
  return { watchKey: (_network, address) => COIN_FORMATS[coin].canonical(address) };
}

const FAMILIES: Readonly<Record<Coin, Partial<LiveFamily> & Pick<LiveFamily, 'watchKey'>>> = {
  BTC: utxo('BTC'),
  LTC: utxo('LTC'),
  ETH: accountOnly('ETH'),
  SOL: { create: createSolanaAdapter, watchKey: (_network, address) => address },
};

/** The adapter of a coin on a real node; null when this version has none for it. */
export function createLiveAdapter(coin: Coin, options: LiveChainOptions): ChainAdapter | null {
  return FAMILIES[coin].create?.(options) ?? null;
}

/** Watch keys of any chain's addresses, also of chains without a node. */
export function watchKeys(liveNetwork: Network): (chain: ChainId, address: string) => string {
  return ({ coin, mode }, address) =>
    mode === 'sandbox'
      ? COIN_FORMATS[coin].canonical(address)
      : FAMILIES[coin].watchKey(addressNetwork(mode, liveNetwork), address);
}
