import { bech32 } from '@scure/base';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Coin, Mode, Network } from '../../../src/domain/coins.ts';
import { checksumAddress } from '../../../src/wallet/addresses.ts';
import { createWallet } from '../../../src/wallet/derivation.ts';
import { Keyring } from '../../../src/wallet/keyring.ts';

let about: Keyring;
let junk: Keyring;

beforeAll(async () => {
  about = await Keyring.fromEntropy(Buffer.alloc(16));
  const words = 'test test test test test test test test test test test junk';
  junk = await Keyring.fromEntropy(Buffer.from(mnemonicToEntropy(words, wordlist)));
});

function address(keyring: Keyring, liveNetwork: Network, coin: Coin, mode: Mode, branch: 0 | 1, index: number) {
  return createWallet({ keyring, liveNetwork }).address({ coin, mode, account: 0, branch, index });
}

describe('the seed words "abandon … about", whose addresses are published,', () => {
  /** BIP-84's own vectors; Litecoin, Ethereum and Solana as wallets show them for these words. */
  test.each([
    ['BTC', 0, 0, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ['BTC', 0, 1, 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
    ['BTC', 1, 0, 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'],
    ['LTC', 0, 0, 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh'],
    ['LTC', 0, 1, 'ltc1qwlezpr3890hcp6vva9twqh27mr6edadreqvhnn'],
    ['LTC', 1, 0, 'ltc1qyeljcy9v88jg8sqvnqh0m5q390xruc5r98q9yy'],
    ['ETH', 0, 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
    ['SOL', 0, 0, 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
  ] as const)('derive the published address on live mainnet %s, branch %i, index %i', (coin, branch, index, expected) => {
    expect(address(about, 'mainnet', coin, 'live', branch, index)).toBe(expected);
  });

  test.each([
    [0, 0, 'tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl'],
    [0, 1, 'tb1qd7spv5q28348xl4myc8zmh983w5jx32cjhkn97'],
    [1, 0, 'tb1q9u62588spffmq4dzjxsr5l297znf3z6j5p2688'],
  ] as const)('derive the published address on the Bitcoin test network, branch %i, index %i', (branch, index, expected) => {
    expect(address(about, 'testnet', 'BTC', 'live', branch, index)).toBe(expected);
    expect(address(about, 'mainnet', 'BTC', 'sandbox', branch, index)).toBe(expected);
  });

  test('derive the published Bitcoin regtest address', () => {
    const expected = 'bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk';
    expect(address(about, 'regtest', 'BTC', 'live', 0, 0)).toBe(expected);
  });

  /** Coin type 1 is shared by all test networks (SLIP-0044): the same witness program as Bitcoin's. */
  test.each([
    ['testnet', 'live', 'tltc'],
    ['regtest', 'live', 'rltc'],
    ['mainnet', 'sandbox', 'tltc'],
  ] as const)('derive the published Litecoin address on %s, %s', (network, mode, prefix) => {
    const decoded = bech32.decode(address(about, network, 'LTC', mode, 0, 0) as `${string}1${string}`);
    const [version, ...program] = decoded.words;
    expect([decoded.prefix, version]).toEqual([prefix, 0]);
    expect(Buffer.from(bech32.fromWords(program)).toString('hex')).toBe(
      'd0c4a3ef09e997b6e99e397e518fe3e41a118ca1',
    );
  });
});

test('the seed words "test … junk" derive the first account of Ethereum test nodes', () => {
  expect(address(junk, 'mainnet', 'ETH', 'live', 0, 0)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  expect(address(junk, 'mainnet', 'ETH', 'live', 0, 1)).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
});

/** https://eips.ethereum.org/EIPS/eip-55, test cases. */
test.each([
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('checksumAddress writes the EIP-55 checksum of %s', (published) => {
  expect(checksumAddress(published.slice(2).toLowerCase())).toBe(published);
});
