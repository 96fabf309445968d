import { join } from 'node:path';
import { createLiveAdapter } from '../chains/registry.ts';
import type { AnswerOutcome } from '../chains/shared/rpc-transport.ts';
import { createSimulator, type Simulator } from '../chains/simulator/simulator.ts';
import type { Config, NodeEndpoint } from '../config/config.ts';
import type { ChainAdapter } from '../domain/chain.ts';
import type { Chains } from '../domain/chains.ts';
import {
  ACCOUNT_COINS,
  COIN_DEFINITIONS,
  COINS,
  isUtxoCoin,
  type ChainId,
  type Coin,
  type Mode,
} from '../domain/coins.ts';
import type { ConfirmationPolicy } from '../domain/confirmations.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { SimulatorControls } from '../domain/simulator-control.ts';
import { createChainIndex } from '../store/watch/chain-index.ts';
import type { Db } from '../store/sqlite/database.ts';
import { createSimulatorStore } from '../store/simulator.ts';

interface ChainDeps {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface LiveDeps extends ChainDeps {
  readonly onPoll?: NonNullable<Parameters<typeof createChainIndex>[2]>;
  readonly onAnswer?: (chain: ChainId, outcome: AnswerOutcome) => void;
}

/** One adapter for each coin with a node. */
export function createLiveAdapters(deps: LiveDeps): ChainAdapter[] {
  const { config, db, clock, logger } = deps;
  const { network } = config;
  if (network === null) return [];
  return COINS.flatMap((coin) => {
    const node = config.nodes[coin];
    if (node === undefined) return [];
    const adapter = createLiveAdapter(coin, {
      network,
      rpcUrl: urlWithCredentials(node),
      wsUrl: COIN_DEFINITIONS[coin].family === 'solana' ? config.solWsUrl?.reveal() : undefined,
      cookieFile: node.cookieFile ?? undefined,
      rpcTimeoutMs: config.nodeTimeoutMs,
      rpcBatchSize: config.ethRpcBatchSize,
      rpcPerSecond: isUtxoCoin(coin) ? 0 : config.rpcPerSecond[coin],
      ...feeLimits(config, coin),
      mempoolCacheFile: mempoolCacheFile(config, coin),
      index: createChainIndex(db, { coin, mode: 'live' }, deps.onPoll),
      onAnswer: (outcome) => deps.onAnswer?.({ coin, mode: 'live' }, outcome),
      clock,
      logger,
    });
    return [adapter];
  });
}

/** The cache of a coin's mempool; can be deleted at any time while the daemon is stopped. */
export function mempoolCacheFile({ dataDir }: Pick<Config, 'dataDir'>, coin: Coin): string {
  return join(dataDir, `mempool-${coin.toLowerCase()}.cache`);
}

/** Configured fee limits in the adapters' unit, atoms per 1,000 units of size. */
function feeLimits(
  config: Config,
  coin: Coin,
): { feeFloorRate: bigint | undefined; feeCapRate: bigint | undefined } {
  if (isUtxoCoin(coin)) {
    return { feeFloorRate: config.fees[coin].floorPerKvb, feeCapRate: config.fees[coin].capPerKvb };
  }
  const { family, feeUnit } = ACCOUNT_COINS[coin];
  const feeCapRate = family === 'ethereum' ? config.ethFeeCap : config.solFeeCap / feeUnit.perRate;
  return { feeFloorRate: undefined, feeCapRate };
}

function urlWithCredentials(node: NodeEndpoint): string {
  const url = new URL(node.url.reveal());
  if (node.credentials !== null) {
    url.username = encodeURIComponent(node.credentials.user);
    url.password = encodeURIComponent(node.credentials.password.reveal());
  }
  return url.href;
}

/** The sandbox network of every coin. */
export function createSimulators(deps: ChainDeps): Simulator[] {
  const { config, db, clock, logger } = deps;
  const store = createSimulatorStore(db);
  return COINS.map((coin) =>
    createSimulator({
      coin,
      store,
      index: createChainIndex(db, { coin, mode: 'sandbox' }),
      clock,
      logger,
      blockIntervalMs: config.sandbox.blockIntervalMs,
      idleDepth: Math.max(40, config.sandbox.confirmations + 1),
    }),
  );
}

/** Controls of the sandbox networks, for API and tests. */
export function simulatorControls(simulators: readonly Simulator[]): SimulatorControls {
  const byCoin = new Map(simulators.map(({ adapter, control }) => [adapter.coin, control]));
  return { get: (coin) => byCoin.get(coin) ?? null };
}

export function toChains(adapters: readonly ChainAdapter[]): Chains {
  const byId = new Map(adapters.map((adapter) => [`${adapter.coin}/${adapter.mode}`, adapter]));
  return { get: (coin, mode) => byId.get(`${coin}/${mode}`) ?? null };
}

export function confirmationPolicies(config: Config): (coin: Coin, mode: Mode) => ConfirmationPolicy {
  const sandbox: ConfirmationPolicy = { base: config.sandbox.confirmations, tiers: [] };
  return (coin, mode) => (mode === 'sandbox' ? sandbox : config.confirmations[coin]);
}
