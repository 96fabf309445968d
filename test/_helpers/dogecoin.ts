import type { UtxoCoin } from '../../src/domain/coins/definition.ts';

/**
 * A coin that tilld does not support, defined as a developer would add it. Without segwit, so that its own addresses are
 * BIP-44 key hashes. Numbers from chainparams.cpp and policy.h of Dogecoin Core 1.14; its merge-mined blocks, which
 * mainnet has and regtest makes only when asked to, need code of their own.
 */
export const DOGECOIN: UtxoCoin = {
  code: 'DOGE',
  name: 'Dogecoin',
  decimals: 8,
  atom: 'koinu',
  supply: 200_000_000_000n,
  fitsInt64: true,
  slip44: 3,
  offeredBit: 16,
  family: 'utxo',
  spending: 'outputs',
  scriptType: 'p2pkh',
  expires: false,
  feeUnit: { name: 'koinu per byte', decimals: 3, perRate: 1n },
  blocks: { times: 'rough', oldestTipMs: 30 * 60_000, aheadMs: 15 * 60_000, silenceMs: 3_600_000 },
  confirmations: 20,
  finality: {},
  rates: { coingecko: 'dogecoin', kraken: { symbol: 'XDG', currencies: ['USD', 'EUR'] }, sandboxUsd: 0.25 },
  sandbox: { feeRate: 1_000_000n, dust: 1_000_000n, minimumPayment: 1_000_000n },
  example: { address: 'nUNJuJtdg7WDkfrJwz8sVZfFEpS7NgGbLV', balance: '1500' },
  uriScheme: 'dogecoin',
  hasMweb: false,
  dustRelayRate: 1_000_000n,
  fallbackFeeRate: 1_000_000n,
  feeCapRate: 100_000_000n,
  confirmTarget: 6,
  knownGood: [{ pattern: /^\/Shibetoshi:([0-9.]+)/, oldest: [1, 14, 6] }],
  networks: {
    mainnet: {
      identities: [
        { chain: 'main', genesisHash: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691' },
      ],
      hrp: null,
      mwebHrp: null,
      pubKeyHashVersions: [0x1e],
      scriptHashVersions: [0x16],
    },
    testnet: {
      identities: [
        { chain: 'test', genesisHash: 'bb0a78264637406b6360aad926284d544d7049f45189db5664f3c4d07350559e' },
      ],
      hrp: null,
      mwebHrp: null,
      pubKeyHashVersions: [0x71],
      scriptHashVersions: [0xc4],
    },
    regtest: {
      identities: [
        { chain: 'regtest', genesisHash: '3d2160a3b5dc4a9d62e7e66a295f70313ac808440ef7400d6c0772171ce973a5' },
      ],
      hrp: null,
      mwebHrp: null,
      pubKeyHashVersions: [0x6f],
      scriptHashVersions: [0xc4],
    },
  },
};
