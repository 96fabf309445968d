import type { ChainAdapter, ChainIndex } from '../domain/chain.ts';
import {
  ACCOUNT_COINS,
  isUtxoCoin,
  UTXO_COINS,
  type ChainId,
  type Coin,
  type Network,
  type UtxoCoinCode,
} from '../domain/coins.ts';
import type { AccountCoin } from '../domain/coins/definition.ts';
import { addressNetwork } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import { createEthereumAdapter } from './ethereum/adapter.ts';
import { accountKey } from './ethereum/address.ts';
import { COIN_FORMATS } from './simulator/formats.ts';
import type { AnswerOutcome } from './shared/rpc-transport.ts';
import { createSolanaAdapter } from './solana/adapter.ts';
import { createUtxoAdapter } from './utxo/adapter.ts';
import { addressScript } from './utxo/address.ts';

/** Settings of a live chain, of any family. */
export interface LiveChainOptions {
  readonly network: Network;
  readonly rpcUrl: string;
  readonly wsUrl: string | undefined;
  readonly cookieFile: string | undefined;
  readonly rpcTimeoutMs: number;
  /** Maximum calls per batch request, where calls are batched for providers. */
  readonly rpcBatchSize: number;
  /** Maximum calls per second; 0: no limit. */
  readonly rpcPerSecond: number;
  readonly feeFloorRate: bigint | undefined;
  readonly feeCapRate: bigint | undefined;
  /** Where a chain with a mempool keeps what it has read of it. */
  readonly mempoolCacheFile: string;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for every HTTP request, successful or failed. */
  readonly onAnswer?: ((outcome: AnswerOutcome) => void) | undefined;
}

interface LiveFamily {
  create(options: LiveChainOptions): ChainAdapter;
  /** The lookup key for payments to an address. Pure: works without a node. */
  watchKey(network: Network, address: string): string;
}

function utxo(coin: UtxoCoinCode): LiveFamily {
  return {
    create: (options) => createUtxoAdapter({ coin, ...options }),
    watchKey: (network, address) => addressScript(UTXO_COINS[coin], network, address).toString('hex'),
  };
}

const ethereum: LiveFamily = {
  create: (options) => createEthereumAdapter(options),
  watchKey: (_network, address) => accountKey(address),
};

const solana: LiveFamily = {
  create: (options) => createSolanaAdapter(options),
  watchKey: (_network, address) => address,
};

const ACCOUNT_FAMILIES: Readonly<Record<AccountCoin['family'], LiveFamily>> = { ethereum, solana };

function findFamily(coin: Coin): LiveFamily {
  if (isUtxoCoin(coin)) return utxo(coin);
  return ACCOUNT_FAMILIES[ACCOUNT_COINS[coin].family];
}

/** Creates the adapter of a coin on a real node. */
export function createLiveAdapter(coin: Coin, options: LiveChainOptions): ChainAdapter {
  return findFamily(coin).create(options);
}

/** Computes watch keys for any chain's addresses, also without a node. */
export function watchKeys(liveNetwork: Network): (chain: ChainId, address: string) => string {
  return ({ coin, mode }, address) =>
    mode === 'sandbox'
      ? COIN_FORMATS[coin].canonical(address)
      : findFamily(coin).watchKey(addressNetwork(mode, liveNetwork), address);
}
