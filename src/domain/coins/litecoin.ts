import type { UtxoCoin, UtxoNetwork } from './definition.ts';

/** Litecoin has its own P2SH versions (M, Q); wallets still display the older Bitcoin-like ones (3, 2). */
const TEST_VERSIONS: Pick<UtxoNetwork, 'pubKeyHashVersions' | 'scriptHashVersions'> = {
  pubKeyHashVersions: [0x6f],
  scriptHashVersions: [0x3a, 0xc4],
};

export const LITECOIN: UtxoCoin = {
  code: 'LTC',
  name: 'Litecoin',
  decimals: 8,
  atom: 'litoshi',
  supply: 84_000_000n,
  fitsInt64: true,
  slip44: 2,
  offeredBit: 2,
  family: 'utxo',
  spending: 'outputs',
  scriptType: 'p2wpkh',
  expires: false,
  feeUnit: { name: 'litoshi per vB', decimals: 3, perRate: 1n },
  // As for Bitcoin.
  blocks: { times: 'rough', oldestTipMs: 23 * 60_000, aheadMs: 15 * 60_000, silenceMs: 3_600_000 },
  confirmations: 6,
  finality: {},
  rates: {
    coingecko: 'litecoin',
    kraken: { symbol: 'LTC', currencies: ['USD', 'EUR'] },
    sandboxUsd: 100,
  },
  sandbox: { feeRate: 10_000n, dust: 2_940n, minimumPayment: 2_940n },
  example: { address: 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0', balance: '12.5' },
  uriScheme: 'litecoin',
  hasMweb: true,
  dustRelayRate: 30_000n,
  fallbackFeeRate: 1_000n,
  feeCapRate: 5_000_000n,
  confirmTarget: 6,
  // A peer can crash older ones: CVE-2024-35202, fixed in 0.21.4.
  knownGood: [{ pattern: /^\/LitecoinCore:([0-9.]+)/, oldest: [0, 21, 4] }],
  networks: {
    mainnet: {
      identities: [
        { chain: 'main', genesisHash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2' },
      ],
      hrp: 'ltc',
      mwebHrp: 'ltcmweb',
      pubKeyHashVersions: [0x30],
      scriptHashVersions: [0x32, 0x05],
    },
    testnet: {
      identities: [
        { chain: 'test', genesisHash: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0' },
      ],
      hrp: 'tltc',
      mwebHrp: 'tmweb',
      ...TEST_VERSIONS,
    },
    regtest: {
      identities: [
        { chain: 'regtest', genesisHash: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9' },
      ],
      hrp: 'rltc',
      mwebHrp: 'tmweb',
      ...TEST_VERSIONS,
    },
  },
};
