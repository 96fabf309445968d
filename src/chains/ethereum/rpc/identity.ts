import { ChainError, type NodeStatus } from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import type { MinimumVersion } from '../../../domain/coins/definition.ts';
import { outdatedNode } from '../../shared/minimum-node-version.ts';
import { ETHEREUM_CHAINS, type EthereumChain } from './networks.ts';
import type { NodeClient } from './node-client.ts';

/** A node whose latest block is older than this is out of sync. */
const STALE_MS = 300_000;

const BLIND =
  'the node does not tell balances at its newest block: unless it traces, payments through contracts (exchanges, contract wallets) are not found';

/** Identity and health of the node. @throws {ChainError} wrong_chain when it serves another network. */
export async function nodeStatus(
  client: NodeClient,
  network: Network,
  nowMs: number,
): Promise<{ status: NodeStatus; chain: EthereumChain }> {
  const { chainId, genesisHash, version, tip, highest, showsState } = await client.identity();
  const chain = requireChain(network, chainId);
  if (chain.genesisHash !== null && genesisHash !== null && chain.genesisHash !== genesisHash) {
    throw new ChainError(
      'wrong_chain',
      `the node has chain id ${chainId} and the genesis block ${genesisHash}, not that of ${chain.name}`,
    );
  }
  // With a block every twelve seconds, the age of the tip alone shows whether the node is connected.
  const isFresh = nowMs - tip.timestamp * 1000 < STALE_MS;
  const isAlone = network === 'regtest';
  const status: NodeStatus = {
    tip: { height: tip.number, hash: tip.hash },
    headersHeight: Math.max(tip.number, highest ?? 0),
    syncing: highest !== null || !(isAlone || isFresh),
    pruneHeight: 0,
    version,
    peers: isAlone ? null : isFresh ? 1 : 0,
    ...findProblems(version, showsState),
  };
  return { status, chain };
}

/**
 * Minimum releases: the ones that follow mainnet's Fusaka fork (3 December 2025). Older ones are on a chain of their
 * own, and reth 1.9.0 executes some contracts wrongly. As of November 2026; the next fork, Glamsterdam, had no
 * mainnet date then. Geth, besu and reth are from their release notes; Nethermind and Erigon are from the releases of
 * those weeks, which could not be confirmed.
 */
const KNOWN_GOOD: readonly MinimumVersion[] = [
  { pattern: /^Geth\/(?:[^/]*\/)?v([0-9.]+)/i, oldest: [1, 16, 7] },
  { pattern: /^Nethermind\/v([0-9.]+)/i, oldest: [1, 35, 2] },
  { pattern: /^reth\/v([0-9.]+)/i, oldest: [1, 9, 1] },
  { pattern: /^erigon\/v?([0-9.]+)/i, oldest: [3, 2, 2] },
  { pattern: /^besu\/v([0-9.]+)/i, oldest: [25, 11, 0] },
];

function findProblems(version: string, showsState: boolean): Pick<NodeStatus, 'warnings' | 'alarms'> {
  const outdated = outdatedNode(version, KNOWN_GOOD);
  const warnings = [outdated, showsState ? null : BLIND].filter((warning) => warning !== null);
  return {
    warnings: warnings.length === 0 ? null : warnings.join('; '),
    alarms: outdated === null ? [] : ['node_outdated'],
  };
}

/** The chain with this id. @throws {ChainError} wrong_chain when the network setting does not allow it. */
export function requireChain(network: Network, chainId: number): EthereumChain {
  const allowed = ETHEREUM_CHAINS[network];
  const chain = allowed.find((candidate) => candidate.chainId === chainId);
  if (chain !== undefined) return chain;
  const expected = allowed.map(({ name, chainId: id }) => `${id} (${name})`).join(' or ');
  throw new ChainError('wrong_chain', `the node serves chain id ${chainId}, ${network} is ${expected}`);
}
