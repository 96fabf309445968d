import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base58 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { p2wpkh } from '@scure/btc-signer';
import { computeAddress, HDNodeWallet } from 'ethers';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { COINS, MODES, NETWORKS, type Coin, type Network } from '../../../src/domain/coins.ts';
import type { KeyPath } from '../../../src/domain/keys.ts';
import { createWallet, type Wallet } from '../../../src/wallet/derivation.ts';
import { Keyring } from '../../../src/wallet/keyring.ts';
import { LruCache } from '../../../src/wallet/lru-cache.ts';

let keyring: Keyring;
let seed: Uint8Array;
const wallets = new Map<Network, Wallet>();

beforeAll(async () => {
  keyring = await Keyring.fromEntropy(Buffer.alloc(32, 7));
  seed = keyring.withSeed((bytes) => Uint8Array.from(bytes));
  for (const network of NETWORKS) wallets.set(network, createWallet({ keyring, liveNetwork: network }));
});

const wallet = (network: Network) => wallets.get(network) ?? createWallet({ keyring, liveNetwork: network });

const small = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constantFrom(2 ** 31 - 1, 1_000_000));
const arbitraryPath = fc.record({
  mode: fc.constantFrom(...MODES),
  account: small,
  branch: fc.constantFrom(0 as const, 1 as const),
  index: small,
});
const arbitraryNetwork = fc.constantFrom(...NETWORKS);

describe('createWallet on any derivation path', () => {
  test('derives the same Bitcoin and Litecoin addresses as private derivation by @scure/bip32', () => {
    const prefixes = {
      BTC: { mainnet: 'bc', testnet: 'tb', regtest: 'bcrt' },
      LTC: { mainnet: 'ltc', testnet: 'tltc', regtest: 'rltc' },
    };
    const coin = fc.constantFrom('BTC' as const, 'LTC' as const);
    const property = fc.property(coin, arbitraryNetwork, arbitraryPath, (coin, network, path) => {
      const on = path.mode === 'sandbox' ? 'testnet' : network;
      const type = on === 'mainnet' ? { BTC: 0, LTC: 2 }[coin] : 1;
      const full = `m/84'/${type}'/${path.account}'/${path.branch}/${path.index}`;
      const key = HDKey.fromMasterSeed(seed).derive(full);
      const bech32 = { bech32: prefixes[coin][on], pubKeyHash: 0, scriptHash: 5, wif: 128 };
      expect(wallet(network).address({ coin, ...path })).toBe(p2wpkh(key.publicKey!, bech32).address);
      expect(wallet(network).privateKey({ coin, ...path })).toEqual(key.privateKey);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('derives the same Ethereum addresses as ethers', () => {
    const root = HDNodeWallet.fromSeed(seed);
    const property = fc.property(arbitraryNetwork, arbitraryPath, (network, path) => {
      const type = path.mode === 'sandbox' ? 1 : 60;
      const node = root.derivePath(`m/44'/${type}'/${path.account}'/${path.branch}/${path.index}`);
      expect(wallet(network).address({ coin: 'ETH', ...path })).toBe(node.address);
      const key = wallet(network).privateKey({ coin: 'ETH', ...path });
      expect(computeAddress(`0x${Buffer.from(key).toString('hex')}`)).toBe(node.address);
    });
    fc.assert(property, { numRuns: 20 });
  });

  test('derives the same Solana addresses as @noble/hashes and @noble/curves', () => {
    const property = fc.property(arbitraryNetwork, arbitraryPath, (network, { mode, account, index }) => {
      const type = mode === 'sandbox' ? 1 : 501;
      const key = slip10Key(seed, [44, type, account, index]);
      const at: KeyPath = { coin: 'SOL', mode, account, branch: 0, index };
      expect(wallet(network).address(at)).toBe(base58.encode(ed25519.getPublicKey(key)));
      expect(Buffer.from(wallet(network).privateKey(at))).toEqual(Buffer.from(key));
    });
    fc.assert(property, { numRuns: 30 });
  });
});

/** By SLIP-0010, whose own vectors are in test/vectors. */
function slip10Key(seed: Uint8Array, path: readonly number[]): Uint8Array {
  let node = hmac(sha512, new TextEncoder().encode('ed25519 seed'), seed);
  for (const index of path) {
    const data = new Uint8Array([
      0,
      ...node.subarray(0, 32),
      0x80 | (index >>> 24),
      index >>> 16,
      index >>> 8,
      index,
    ]);
    node = hmac(sha512, node.subarray(32), data);
  }
  return node.subarray(0, 32);
}

const branches = (coin: Coin) => (coin === 'SOL' ? ([0] as const) : ([0, 1] as const));

test('createWallet never derives the same address for sandbox and mainnet, two merchants, branches or indexes', () => {
  const addresses = new Set<string>();
  let count = 0;
  for (const coin of COINS) {
    for (const mode of MODES) {
      for (const branch of branches(coin)) {
        for (let account = 0; account < 3; account += 1) {
          for (let index = 0; index < 3; index += 1) {
            addresses.add(wallet('mainnet').address({ coin, mode, account, branch, index }));
            count += 1;
          }
        }
      }
    }
  }
  expect(addresses.size).toBe(count);
});

test.each([
  ['a negative index', { index: -1 }],
  ['a hardened index', { index: 2 ** 31 }],
  ['an invalid account', { account: 1.5 }],
  ['no number at all', { index: Number.NaN }],
])('createWallet rejects a derivation path with %s', (_, wrong) => {
  for (const coin of COINS) {
    const path: KeyPath = { coin, mode: 'live', account: 0, branch: 0, index: 0, ...wrong };
    expect(() => wallet('mainnet').address(path)).toThrow(RangeError);
    expect(() => wallet('mainnet').privateKey(path)).toThrow(RangeError);
  }
});

test('createWallet refuses a change branch for Solana', () => {
  const path: KeyPath = { coin: 'SOL', mode: 'live', account: 0, branch: 1, index: 0 };
  expect(() => wallet('mainnet').address(path)).toThrow(/no internal branch/);
});

test('createWallet returns keys that a caller may overwrite without affecting later ones', () => {
  for (const coin of COINS) {
    const path: KeyPath = { coin, mode: 'live', account: 3, branch: 0, index: 1 };
    const address = wallet('mainnet').address(path);
    const key = Buffer.from(wallet('mainnet').privateKey(path));
    wallet('mainnet').privateKey(path).fill(0);
    expect(Buffer.from(wallet('mainnet').privateKey(path))).toEqual(key);
    expect(wallet('mainnet').address(path)).toBe(address);
  }
});

test('LruCache keeps the most recently used entries within its limit, and passes evicted ones to its handler', () => {
  const left: number[] = [];
  const cache = new LruCache<number>(2, (value) => left.push(value));
  expect(cache.get('a', () => 1)).toBe(1);
  expect(cache.get('b', () => 2)).toBe(2);
  expect(cache.get('a', () => 9)).toBe(1);
  cache.get('c', () => 3);
  expect([left, cache.size]).toEqual([[2], 2]);
  expect(cache.get('b', () => 4)).toBe(4);
});
