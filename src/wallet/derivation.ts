import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { COIN_DEFINITIONS, type Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';
import { assertNever } from '../domain/errors.ts';
import {
  addressNetwork,
  type AddressDeriver,
  type KeyPath,
  type KeySource,
  type WatchAccountKeys,
} from '../domain/keys.ts';
import { ethereumAddress, keyHashAddress, solanaAddress } from './addresses.ts';
import { childPublicKey, publicBranch, type PublicBranch } from './child-key.ts';
import {
  ed25519NodeAt,
  ed25519PublicKey,
  hardenedChild,
  wipeNode,
  type Ed25519Node,
} from './ed25519-node.ts';
import type { Keyring } from './keyring.ts';
import { LruCache } from './lru-cache.ts';
import { watchAccountReader } from './watch-account.ts';

export type Wallet = AddressDeriver & KeySource;

/** SLIP-0044: all test networks share it. */
const TEST_COIN_TYPE = 1;
/** Cached nodes one step above an address: four per active merchant. */
const CACHED_NODES = 4096;
/** Cached accounts of other wallets. */
const CACHED_WATCHED = 256;
/** Cached private nodes one step above an address: those of the sends in progress. */
const CACHED_SPENDERS = 64;

/**
 * The wallet tree of a seed: BIP-84 for Bitcoin and Litecoin, BIP-44 for Ethereum and coins without segwit, SLIP-0010
 * for Solana, merchant k at account k. Sandbox keys live under coin type 1 and get testnet addresses, so none of them
 * is ever an address of a live mainnet.
 * For Solana the private key is the 32-byte ed25519 seed; it has no internal (change) branch.
 * @throws {RangeError} on paths outside the tree.
 */
export function createWallet(options: { keyring: Keyring; liveNetwork: Network }): Wallet {
  const { keyring, liveNetwork } = options;
  const branches = new LruCache<PublicBranch>(CACHED_NODES);
  const accounts = new LruCache<Ed25519Node>(CACHED_NODES, wipeNode);

  const spenders = new LruCache<HDKey>(CACHED_SPENDERS, (node) => node.wipePrivateData());

  const secpNode = (path: string): HDKey =>
    keyring.withSeed((seed) => HDKey.fromMasterSeed(seed).derive(path));

  const readWatched = watchAccountReader(liveNetwork);
  const watched = new LruCache<WatchAccountKeys>(CACHED_WATCHED);

  /** Public derivation alone: it needs no seed, and gives no key to sign with. */
  function watchedAddress(path: KeyPath, descriptor: string): string {
    const keys = watched.get(`${path.coin} ${path.mode} ${descriptor}`, () => {
      const read = readWatched(path, descriptor);
      if ('problem' in read) throw new Error(`a stored descriptor ${read.problem}`);
      return read;
    });
    return keys.address(path.branch, path.index);
  }

  function branchAbove(path: KeyPath): PublicBranch {
    const branchPath = secpBranchPath(path, liveNetwork);
    return branches.get(branchPath, () => publicBranch(secpNode(branchPath)));
  }

  function accountAbove(path: KeyPath): Ed25519Node {
    const accountPath = solanaAccountPath(path);
    return accounts.get(accountPath.join('/'), () =>
      keyring.withSeed((seed) => ed25519NodeAt(seed, accountPath)),
    );
  }

  function solanaKey(path: KeyPath): Buffer {
    return hardenedChild(accountAbove(path), path.index).privateKey;
  }

  return {
    address(path) {
      if (path.listed !== undefined) return path.listed;
      if (path.descriptor !== undefined) return watchedAddress(path, path.descriptor);
      assertPath(path);
      const definition = COIN_DEFINITIONS[path.coin];
      switch (definition.family) {
        case 'utxo': {
          const network = addressNetwork(path.mode, liveNetwork);
          return keyHashAddress(definition, network, childPublicKey(branchAbove(path), path.index, true));
        }
        case 'ethereum':
          return ethereumAddress(childPublicKey(branchAbove(path), path.index, false));
        case 'solana':
          return solanaAddress(ed25519PublicKey(solanaKey(path)));
        default:
          return assertNever(definition);
      }
    },
    privateKey(path) {
      if (path.descriptor !== undefined || path.listed !== undefined)
        throw new RangeError('a watched account has no private keys');
      assertPath(path);
      if (COIN_DEFINITIONS[path.coin].family === 'solana') return solanaKey(path);
      const branchPath = secpBranchPath(path, liveNetwork);
      const branch = spenders.get(branchPath, () => secpNode(branchPath));
      const { privateKey } = branch.deriveChild(path.index);
      if (privateKey === null) throw new Error('the derived node has no private key');
      return privateKey;
    },
  };
}

function secpBranchPath(path: KeyPath, liveNetwork: Network): string {
  const { coin, mode, account, branch } = path;
  const definition = COIN_DEFINITIONS[coin];
  switch (definition.family) {
    case 'utxo':
      return `${accountPath(definition, addressNetwork(mode, liveNetwork), account)}/${branch}`;
    case 'ethereum':
      return `m/44'/${mode === 'live' ? definition.slip44 : TEST_COIN_TYPE}'/${account}'/${branch}`;
    case 'solana':
      throw new RangeError('Solana keys are not on the secp256k1 tree');
    default:
      return assertNever(definition);
  }
}

/** The path of a merchant's account: BIP-84 for native segwit, else BIP-44. */
export function accountPath(
  { scriptType, slip44 }: Pick<UtxoCoin, 'scriptType' | 'slip44'>,
  network: Network,
  account: number,
): string {
  const purpose = scriptType === 'p2wpkh' ? 84 : 44;
  return `m/${purpose}'/${network === 'mainnet' ? slip44 : TEST_COIN_TYPE}'/${account}'`;
}

/** Indexes of BIP-44, all hardened. */
function solanaAccountPath({ coin, mode, account, branch }: KeyPath): readonly number[] {
  if (branch !== 0) throw new RangeError('Solana keys have no internal branch');
  return [44, mode === 'live' ? COIN_DEFINITIONS[coin].slip44 : TEST_COIN_TYPE, account];
}

function assertPath(path: KeyPath): void {
  for (const part of [path.account, path.index]) {
    if (!Number.isInteger(part) || part < 0 || part >= HARDENED_OFFSET) {
      throw new RangeError('account and index must be whole numbers from 0 to 2^31 - 1');
    }
  }
}
