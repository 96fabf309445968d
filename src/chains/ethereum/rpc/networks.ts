import type { Network } from '../../../domain/coins.ts';

/** A chain that a network setting allows: chain id (EIP-155) and, where it is fixed, the genesis block. */
export interface EthereumChain {
  readonly name: string;
  readonly chainId: number;
  readonly genesisHash: string | null;
}

/** Payment links use the first chain of each list until the node reports its chain id. */
export const ETHEREUM_CHAINS: Readonly<Record<Network, readonly [EthereumChain, ...EthereumChain[]]>> = {
  mainnet: [
    {
      name: 'mainnet',
      chainId: 1,
      genesisHash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    },
  ],
  testnet: [
    {
      name: 'Sepolia',
      chainId: 11_155_111,
      genesisHash: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
    },
    { name: 'Hoodi', chainId: 560_048, genesisHash: null },
    { name: 'Holesky', chainId: 17_000, genesisHash: null },
  ],
  regtest: [
    { name: 'anvil', chainId: 31_337, genesisHash: null },
    { name: 'geth --dev', chainId: 1_337, genesisHash: null },
  ],
};
