import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import type { Network } from '../domain/coins.ts';
import { assertNever } from '../domain/errors.ts';
import { addressNetwork, type AddressDeriver, type KeyPath, type KeySource } from '../domain/keys.ts';
import { ethereumAddress, SEGWIT_PREFIXES, solanaAddress, witnessAddress } from './addresses.ts';
import { childPublicKey, publicBranch, type PublicBranch } from './child-key.ts';
import { ed25519PublicKey, hardenedChildKey, type Ed25519Node } from './ed25519-node.ts';
import type { Keyring } from './keyring.ts';
import { LruCache } from './lru-cache.ts';

export type Wallet = AddressDeriver & KeySource;

/** SLIP-0044 coin types; all test networks share 1. */
const COIN_TYPES = { BTC: 0, LTC: 2, ETH: 60, SOL: 501 } as const;
const TEST_COIN_TYPE = 1;
/** Nodes one step above an address: four of each merchant in use. */
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
  const branches = new LruCache<PublicBranch>(CACHED_NODES);
  const accounts = new LruCache<Ed25519Node>(CACHED_NODES, (node) => node.privateKey.fill(0));

  const secpNode = (path: string): HDKey =>
    keyring.withSeed((seed) => HDKey.fromMasterSeed(seed).derive(path));

  function branchAbove(path: KeyPath): PublicBranch {
    const branchPath = secpBranchPath(path, liveNetwork);
    return branches.get(branchPath, () => publicBranch(secpNode(branchPath)));
  }

  function accountAbove(path: KeyPath): Ed25519Node {
    const accountPath = solanaAccountPath(path);
    return accounts.get(accountPath, () =>
      keyring.withSeed((seed) => Slip10Key.fromMasterSeed(seed).derive(accountPath)),
    );
  }

  function solanaKey(path: KeyPath): Buffer {
    return hardenedChildKey(accountAbove(path), path.index);
  }

  return {
    address(path) {
      assertPath(path);
      switch (path.coin) {
        case 'BTC':
        case 'LTC':
          return witnessAddress(
            childPublicKey(branchAbove(path), path.index, true),
            SEGWIT_PREFIXES[path.coin][addressNetwork(path.mode, liveNetwork)],
          );
        case 'ETH':
          return ethereumAddress(childPublicKey(branchAbove(path), path.index, false));
        case 'SOL':
          return solanaAddress(ed25519PublicKey(solanaKey(path)));
        default:
          return assertNever(path.coin);
      }
    },
    privateKey(path) {
      assertPath(path);
      if (path.coin === 'SOL') return solanaKey(path);
      const { privateKey } = secpNode(`${secpBranchPath(path, liveNetwork)}/${path.index}`);
      if (privateKey === null) throw new Error('a derived node lost its private key');
      return privateKey;
    },
  };
}

function secpBranchPath(path: KeyPath, liveNetwork: Network): string {
  const { coin, mode, account, branch } = path;
  switch (coin) {
    case 'BTC':
    case 'LTC': {
      const isMainnet = addressNetwork(mode, liveNetwork) === 'mainnet';
      return `m/84'/${isMainnet ? COIN_TYPES[coin] : TEST_COIN_TYPE}'/${account}'/${branch}`;
    }
    case 'ETH':
      return `m/44'/${mode === 'live' ? COIN_TYPES.ETH : TEST_COIN_TYPE}'/${account}'/${branch}`;
    case 'SOL':
      throw new RangeError('Solana keys are not on the secp256k1 tree');
    default:
      return assertNever(coin);
  }
}

function solanaAccountPath({ mode, account, branch }: KeyPath): string {
  if (branch !== 0) throw new RangeError('Solana keys have no internal branch');
  return `m/44'/${mode === 'live' ? COIN_TYPES.SOL : TEST_COIN_TYPE}'/${account}'`;
}

function assertPath(path: KeyPath): void {
  for (const part of [path.account, path.index]) {
    if (!Number.isInteger(part) || part < 0 || part >= HARDENED_OFFSET) {
      throw new RangeError('account and index must be whole numbers from 0 to 2^31 - 1');
    }
  }
}
