import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { base58 } from '@scure/base';
import { p2wpkh } from '@scure/btc-signer';
import { computeAddress } from 'ethers';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import type { Network } from '../domain/coins.ts';
import { assertNever } from '../domain/errors.ts';
import { addressNetwork, type AddressDeriver, type KeyPath, type KeySource } from '../domain/keys.ts';
import type { Keyring } from './keyring.ts';
import { LruCache } from './lru-cache.ts';
import { segwitNetwork } from './networks.ts';

export type Wallet = AddressDeriver & KeySource;

/** SLIP-0044 coin types; all test networks share 1. */
const COIN_TYPES = { BTC: 0, LTC: 2, ETH: 60, SOL: 501 } as const;
const TEST_COIN_TYPE = 1;
/** Nodes one derivation step above an address: a busy daemon's merchants, four coins each. */
const CACHED_NODES = 4096;

/**
 * The wallet tree of a seed: BIP-84 for Bitcoin and Litecoin, BIP-44 for Ethereum, SLIP-0010 for
 * Solana, merchant k at account k. Sandbox keys live under coin type 1 and get testnet addresses,
 * so none of them is ever an address of a live mainnet.
 * For Solana the private key is the 32-byte ed25519 seed; it has no internal (change) branch.
 * @throws {RangeError} on paths outside the tree.
 */
export function createWallet(options: { keyring: Keyring; liveNetwork: Network }): Wallet {
  const { keyring, liveNetwork } = options;
  const secpParents = new LruCache<HDKey>(CACHED_NODES, (node) => node.wipePrivateData());
  const edParents = new LruCache<Slip10Key>(CACHED_NODES, (node) => node.privateKey.fill(0));

  function secpNode(path: KeyPath, network: Network): HDKey {
    const parentPath = `${secpAccountPath(path, network)}/${path.branch}`;
    return secpParents
      .get(parentPath, () => keyring.withSeed((seed) => HDKey.fromMasterSeed(seed).derive(parentPath)))
      .deriveChild(path.index);
  }

  function edNode(path: KeyPath): Slip10Key {
    if (path.branch !== 0) throw new RangeError('Solana keys have no internal branch');
    const parentPath = `m/44'/${path.mode === 'sandbox' ? TEST_COIN_TYPE : COIN_TYPES.SOL}'/${path.account}'`;
    return edParents
      .get(parentPath, () => keyring.withSeed((seed) => Slip10Key.fromMasterSeed(seed).derive(parentPath)))
      .deriveChild(path.index + HARDENED_OFFSET);
  }

  return {
    address(path) {
      assertPath(path);
      const network = addressNetwork(path.mode, liveNetwork);
      switch (path.coin) {
        case 'BTC':
        case 'LTC':
          return segwitAddress(secpNode(path, network), path.coin, network);
        case 'ETH':
          return computeAddress(publicKeyHex(secpNode(path, network)));
        case 'SOL':
          return base58.encode(edNode(path).publicKeyRaw);
        default:
          return assertNever(path.coin);
      }
    },
    privateKey(path) {
      assertPath(path);
      if (path.coin === 'SOL') return edNode(path).privateKey;
      const { privateKey } = secpNode(path, addressNetwork(path.mode, liveNetwork));
      if (privateKey === null) throw new Error('a derived node lost its private key');
      return privateKey;
    },
  };
}

function secpAccountPath(path: KeyPath, network: Network): string {
  const { coin, account } = path;
  switch (coin) {
    case 'BTC':
    case 'LTC':
      return `m/84'/${network === 'mainnet' ? COIN_TYPES[coin] : TEST_COIN_TYPE}'/${account}'`;
    case 'ETH':
      return `m/44'/${path.mode === 'sandbox' ? TEST_COIN_TYPE : COIN_TYPES.ETH}'/${account}'`;
    case 'SOL':
      throw new RangeError('Solana keys are not on the secp256k1 tree');
    default:
      return assertNever(coin);
  }
}

function segwitAddress(node: HDKey, coin: 'BTC' | 'LTC', network: Network): string {
  const { address } = p2wpkh(publicKey(node), segwitNetwork(coin, network));
  if (address === undefined) throw new Error('no address for a witness key hash');
  return address;
}

function publicKey(node: HDKey): Uint8Array {
  if (node.publicKey === null) throw new Error('a derived node has no public key');
  return node.publicKey;
}

function publicKeyHex(node: HDKey): string {
  return `0x${Buffer.from(publicKey(node)).toString('hex')}`;
}

function assertPath(path: KeyPath): void {
  for (const part of [path.account, path.index]) {
    if (!Number.isInteger(part) || part < 0 || part >= HARDENED_OFFSET) {
      throw new RangeError('account and index must be whole numbers from 0 to 2^31 - 1');
    }
  }
}
