import { type ChainAlarm, ChainError, type NodeStatus } from '../../../domain/chain.ts';
import { NETWORKS, UTXO_COINS, type Network } from '../../../domain/coins.ts';
import { outdatedNode } from '../../shared/minimum-node-version.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import type { NodeClient } from './node-client.ts';
import type { ChainInfo, NetworkInfo } from './node-answers.ts';

/**
 * Health of the node, after checking that it serves the configured coin and network.
 * @throws {ChainError} wrong_chain naming the expected and the actual chain.
 */
export async function nodeStatus(client: NodeClient, coin: UtxoCoin, network: Network): Promise<NodeStatus> {
  const [info, networkInfo, genesisHash] = await Promise.all([
    client.chainInfo(),
    client.networkInfo(),
    client.getBlockHash(0),
  ]);
  checkIdentity(coin, network, info.chain, genesisHash ?? 'none');
  return {
    tip: { height: info.blocks, hash: info.bestblockhash },
    headersHeight: info.headers,
    // A private network has no recent block until it mines one.
    syncing: (info.initialblockdownload && network !== 'regtest') || info.headers > info.blocks,
    pruneHeight: info.pruned ? (info.pruneheight ?? 0) : 0,
    peers: network === 'regtest' ? null : networkInfo.connections,
    version: networkInfo.subversion,
    ...listWarnings(coin, info, networkInfo),
  };
}

function checkIdentity(coin: UtxoCoin, network: Network, chain: string, genesisHash: string): void {
  const { identities } = coin.networks[network];
  if (identities.some((known) => known.chain === chain && known.genesisHash === genesisHash)) return;
  const expected = identities.map((known) => `chain "${known.chain}" from ${known.genesisHash}`).join(' or ');
  throw new ChainError(
    'wrong_chain',
    `expected ${coin.name} ${network} (${expected}), found ${chainName(genesisHash)} (chain "${chain}" from ${genesisHash})`,
  );
}

function chainName(genesisHash: string): string {
  for (const coin of Object.values(UTXO_COINS)) {
    for (const network of NETWORKS) {
      const isThis = coin.networks[network].identities.some((known) => known.genesisHash === genesisHash);
      if (isThis) return `${coin.name} ${network}`;
    }
  }
  return 'an unknown chain';
}

/**
 * Tolerated offset between the node's clock and its peers' median: beyond it, block and mempool times are
 * also wrong.
 */
const CLOCK_OFFSET_SECONDS = 300;

const BLOCKS_ONLY =
  'the node runs with -blocksonly: payments are seen only once a block has them, and count as late when that is after their time; start it without';

/** The node's own warnings, and those derived from its answers. */
function listWarnings(
  coin: UtxoCoin,
  info: ChainInfo,
  networkInfo: NetworkInfo,
): Pick<NodeStatus, 'warnings' | 'alarms'> {
  const age = outdatedNode(networkInfo.subversion, coin.knownGood);
  const offset = networkInfo.timeoffset ?? 0;
  const isOff = Math.abs(offset) > CLOCK_OFFSET_SECONDS;
  const clock = isOff ? `the node's clock differs from its peers' by ${offset} seconds: set the clock` : null;
  const blind = networkInfo.localrelay === false ? BLOCKS_ONLY : null;
  const all = [info.warnings, networkInfo.warnings, age, clock, blind].flatMap((warnings) => warnings ?? []);
  const distinct = [...new Set(all.filter((warning) => warning !== ''))];
  const alarms: ChainAlarm[] = [];
  if (age !== null) alarms.push('node_outdated');
  if (clock !== null) alarms.push('clock_skew');
  if (blind !== null) alarms.push('blocks_only');
  return { warnings: distinct.length === 0 ? null : distinct.join('; '), alarms };
}
