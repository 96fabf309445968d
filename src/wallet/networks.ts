import type { Network } from '../domain/coins.ts';

/** What address encoding needs to know of a Bitcoin-like network (chainparams.cpp of each node). */
export interface SegwitNetwork {
  readonly bech32: string;
  readonly pubKeyHash: number;
  readonly scriptHash: number;
  readonly wif: number;
}

const SEGWIT_NETWORKS: Readonly<Record<'BTC' | 'LTC', Readonly<Record<Network, SegwitNetwork>>>> = {
  BTC: {
    mainnet: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
    testnet: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
    regtest: { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
  },
  LTC: {
    mainnet: { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 },
    testnet: { bech32: 'tltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
    regtest: { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
  },
};

export function segwitNetwork(coin: 'BTC' | 'LTC', network: Network): SegwitNetwork {
  return SEGWIT_NETWORKS[coin][network];
}
