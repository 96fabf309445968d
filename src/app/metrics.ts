import { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { COINS } from '../domain/coins.ts';
import type { Clock } from '../domain/ports.ts';
import { createNodeMetrics, type NodeMetrics } from '../metrics/node-metrics.ts';
import type { StateMetricsDeps } from '../metrics/metric-family.ts';
import { registerStateMetrics } from '../metrics/state-metrics.ts';
import type { Db } from '../store/sqlite/database.ts';
import type { WatchedChain } from '../workers/chain-watcher/chain-warnings.ts';

interface Measured {
  readonly config: Config;
  readonly db: Db;
  readonly clock: Clock;
  readonly rates: StateMetricsDeps['rates'];
  readonly olderDatabase: StateMetricsDeps['olderDatabase'];
  readonly replica: StateMetricsDeps['replica'];
  readonly certificate: StateMetricsDeps['certificate'];
  readonly log: StateMetricsDeps['log'];
  readonly updates: StateMetricsDeps['updates'];
  readonly chains: () => Promise<readonly WatchedChain[]>;
  readonly uncredited: StateMetricsDeps['uncredited'];
  readonly version: string;
}

/**
 * The registry of /metrics: node calls are measured when they happen, the other values are read when scraped.
 */
export function createMetrics(): {
  readonly registry: Registry;
  readonly nodes: NodeMetrics;
  measure(what: Measured): void;
} {
  const registry = new Registry();
  return {
    registry,
    nodes: createNodeMetrics(registry),
    measure: ({ config, ...deps }) => {
      const liveCoins = COINS.filter((coin) => config.nodes[coin] !== undefined);
      registerStateMetrics(registry, { ...deps, liveCoins, dataDir: config.dataDir });
    },
  };
}
