import type { UtxoCoin, UtxoNetwork } from './definition.ts';

const TEST_VERSIONS: Pick<UtxoNetwork, 'pubKeyHashVersions' | 'scriptHashVersions'> = {
  pubKeyHashVersions: [0x6f],
  scriptHashVersions: [0xc4],
};

export const BITCOIN: UtxoCoin = {
  code: 'BTC',
  name: 'Bitcoin',
  decimals: 8,
  atom: 'satoshi',
  supply: 21_000_000n,
  fitsInt64: true,
  slip44: 0,
  offeredBit: 1,
  family: 'utxo',
  spending: 'outputs',
  scriptType: 'p2wpkh',
  expires: false,
  feeUnit: { name: 'satoshi per vB', decimals: 3, perRate: 1n },
  // Consensus lets a block time be two hours ahead; honest miners are minutes ahead. One block in about eight
  // thousand takes longer than oldestTipMs: expiry then waits for the next block, without other effect.
  blocks: { times: 'rough', oldestTipMs: 90 * 60_000, aheadMs: 15 * 60_000, silenceMs: 3 * 3_600_000 },
  confirmations: 2,
  finality: {},
  rates: {
    coingecko: 'bitcoin',
    kraken: { symbol: 'XBT', currencies: ['USD', 'EUR', 'GBP', 'CAD', 'JPY', 'CHF', 'AUD'] },
    sandboxUsd: 100_000,
  },
  sandbox: { feeRate: 2_000n, dust: 294n, minimumPayment: 294n },
  example: { address: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', balance: '0.015' },
  uriScheme: 'bitcoin',
  hasMweb: false,
  dustRelayRate: 3_000n,
  fallbackFeeRate: 1_000n,
  feeCapRate: 500_000n,
  confirmTarget: 6,
  // A block can crash older ones, and they get no fixes any more: CVE-2024-52911, fixed in 29.0, published in May 2026.
  knownGood: [{ pattern: /^\/Satoshi:([0-9.]+)/, oldest: [29, 0, 0] }],
  networks: {
    mainnet: {
      identities: [
        { chain: 'main', genesisHash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f' },
      ],
      hrp: 'bc',
      mwebHrp: null,
      pubKeyHashVersions: [0x00],
      scriptHashVersions: [0x05],
    },
    testnet: {
      identities: [
        { chain: 'test', genesisHash: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943' },
        {
          chain: 'testnet4',
          genesisHash: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
        },
        { chain: 'signet', genesisHash: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6' },
      ],
      hrp: 'tb',
      mwebHrp: null,
      ...TEST_VERSIONS,
    },
    regtest: {
      identities: [
        { chain: 'regtest', genesisHash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206' },
      ],
      hrp: 'bcrt',
      mwebHrp: null,
      ...TEST_VERSIONS,
    },
  },
};
