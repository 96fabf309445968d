import { expect, test } from 'vitest';
import { UTXO_COINS } from '../../../../src/domain/coins.ts';
import { nodeStatus } from '../../../../src/chains/utxo/rpc/identity.ts';
import type { NodeClient } from '../../../../src/chains/utxo/rpc/node-client.ts';

async function warningsOf(coin: 'BTC' | 'LTC', subversion: string): Promise<string | null> {
  const [identity] = UTXO_COINS[coin].networks.mainnet.identities;
  if (identity === undefined) throw new Error('no identity');
  const client: Pick<NodeClient, 'chainInfo' | 'networkInfo' | 'getBlockHash'> = {
    chainInfo: async () => ({
      chain: identity.chain,
      blocks: 1,
      headers: 1,
      bestblockhash: identity.genesisHash,
      initialblockdownload: false,
      pruned: false,
      warnings: '',
    }),
    networkInfo: async () => ({ subversion, connections: 8, warnings: [] }),
    getBlockHash: async () => identity.genesisHash,
  };
  return (await nodeStatus(client as NodeClient, UTXO_COINS[coin], 'mainnet')).warnings;
}

test.each([
  ['BTC', '/Satoshi:28.4.0/', '28.4.0'],
  ['BTC', '/Satoshi:0.21.2/', '0.21.2'],
  ['LTC', '/LitecoinCore:0.18.1/', '0.18.1'],
  ['LTC', '/LitecoinCore:0.21.2.1/', '0.21.2.1'],
  ['LTC', '/LitecoinCore:0.21.3/', '0.21.3'],
] as const)(
  'nodeStatus warns that a %s node with the version %s is outdated',
  async (coin, subversion, version) => {
    expect(await warningsOf(coin, subversion)).toContain(`the node's version ${version} is older than`);
  },
);

test.each([
  ['BTC', '/Satoshi:29.0.0/'],
  ['BTC', '/Satoshi:30.2.0/'],
  ['BTC', '/Satoshi:29.4.3/Knots:20260508/'],
  ['BTC', '/btcd:0.24.0/'],
  ['LTC', '/LitecoinCore:0.21.4/'],
  ['LTC', '/LitecoinCore:0.22.0/'],
] as const)('nodeStatus does not warn about a %s node with the version %s', async (coin, subversion) => {
  expect(await warningsOf(coin, subversion)).toBeNull();
});
