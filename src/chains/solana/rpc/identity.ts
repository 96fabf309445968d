import { ChainError, type NodeStatus } from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import { outdatedNode } from '../../shared/minimum-node-version.ts';

/** The public clusters by genesis hash. Shops test on devnet as well as on testnet. */
const CLUSTERS: Readonly<Record<string, { readonly name: string; readonly network: Network }>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': { name: 'mainnet-beta', network: 'mainnet' },
  '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY': { name: 'testnet', network: 'testnet' },
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: { name: 'devnet', network: 'testnet' },
};

/**
 * Checks that a node serves the configured network; regtest is any cluster that is not public.
 * @throws {ChainError} wrong_chain naming the expected and the actual cluster.
 */
export function checkGenesis(network: Network, genesisHash: string): void {
  const cluster = CLUSTERS[genesisHash];
  if ((cluster?.network ?? 'regtest') === network) return;
  throw new ChainError(
    'wrong_chain',
    `expected Solana ${network}, found ${cluster?.name ?? 'a private cluster'} (genesis ${genesisHash})`,
  );
}

/**
 * Minimum version that Agave's developers require on mainnet (version-floor.json of its wiki, as of November
 * 2026). Frankendancer (0.1106…) and Firedancer (26.08…) number otherwise and are not judged.
 */
const KNOWN_GOOD = [{ pattern: /^([1-9]\.[0-9.]+)/, oldest: [4, 2, 2] }];

/** A warning when the node's version (getVersion) is below the minimum. */
export function versionWarning(version: string): Pick<NodeStatus, 'warnings' | 'alarms'> {
  const warnings = outdatedNode(version, KNOWN_GOOD);
  return { warnings, alarms: warnings === null ? [] : ['node_outdated'] };
}
