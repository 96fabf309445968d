import { ChainError, type NodeStatus } from '../../domain/chain.ts';
import { NETWORKS, type Network } from '../../domain/coins.ts';
import type { UtxoCoin } from './coin.ts';
import { UTXO_COINS } from './coins.ts';
import type { ChainInfo, NetworkInfo, NodeClient } from './node-client.ts';

/**
 * Health of the node, after proof that it serves the configured coin and network.
 * @throws {ChainError} wrong_chain naming what was expected and what was found.
 */
export async function nodeStatus(client: NodeClient, coin: UtxoCoin, network: Network): Promise<NodeStatus> {
  const [info, networkInfo, genesisHash] = await Promise.all([
    client.chainInfo(),
    client.networkInfo(),
    client.blockHash(0),
  ]);
  checkIdentity(coin, network, info.chain, genesisHash ?? 'none');
  return {
    tip: { height: info.blocks, hash: info.bestblockhash },
    headersHeight: info.headers,
    syncing: info.initialblockdownload || info.headers > info.blocks,
    pruneHeight: info.pruned ? (info.pruneheight ?? 0) : 0,
    peers: network === 'regtest' ? null : networkInfo.connections,
    version: networkInfo.subversion,
    warnings: warningsOf(coin, info, networkInfo),
  };
}

function checkIdentity(coin: UtxoCoin, network: Network, chain: string, genesisHash: string): void {
  const { identities } = coin.networks[network];
  if (identities.some((known) => known.chain === chain && known.genesisHash === genesisHash)) return;
  const expected = identities.map((known) => `chain "${known.chain}" from ${known.genesisHash}`).join(' or ');
  throw new ChainError(
    'wrong_chain',
    `expected ${coin.name} ${network} (${expected}), found ${nameOf(genesisHash)} (chain "${chain}" from ${genesisHash})`,
  );
}

function nameOf(genesisHash: string): string {
  for (const coin of Object.values(UTXO_COINS)) {
    for (const network of NETWORKS) {
      const isThis = coin.networks[network].identities.some((known) => known.genesisHash === genesisHash);
      if (isThis) return `${coin.name} ${network}`;
    }
  }
  return 'an unknown chain';
}

function warningsOf(coin: UtxoCoin, info: ChainInfo, networkInfo: NetworkInfo): string | null {
  const age = outdated(coin, networkInfo.subversion);
  const all = [info.warnings, networkInfo.warnings, age].flatMap((warnings) => warnings ?? []);
  const distinct = [...new Set(all.filter((warning) => warning !== ''))];
  return distinct.length === 0 ? null : distinct.join('; ');
}

/** A node that names itself otherwise (a fork, an operator's comment) is not judged. */
function outdated({ knownGood: { client, oldest } }: UtxoCoin, subversion: string): string | null {
  const [, numbers = ''] = new RegExp(`^/${client}:([0-9.]+)`).exec(subversion) ?? [];
  if (numbers === '') return null;
  const version = numbers.split('.').map(Number);
  const differing = oldest.findIndex((part, at) => (version[at] ?? 0) !== part);
  if (differing === -1 || (version[differing] ?? 0) > (oldest[differing] ?? 0)) return null;
  return `the node's version ${numbers} is older than ${oldest.join('.')}, the oldest without known serious faults: upgrade it`;
}
