import type { Coin, Mode, Network } from './coins.ts';
import type { PsbtAccount } from './psbt.ts';

/**
 * Where a key lives in the wallet tree (design section 7): merchant k is account k; branch 0 is
 * the receiving path, 1 the internal (change) path; index 0 of branch 0 is the merchant address.
 */
export interface KeyPath {
  readonly coin: Coin;
  readonly mode: Mode;
  readonly account: number;
  readonly branch: 0 | 1;
  readonly index: number;
  /** Of a watched account (`watchNumber`): its descriptor, which derives its addresses and cannot sign. */
  readonly descriptor?: string;
  /** Of a watched account that is a list of addresses: the address itself. */
  readonly listed?: string;
}

/** Account numbers from here on are those of watched accounts: no account of the wallet tree has them (BIP-32). */
const WATCHED_FROM = 2 ** 31;

/** The account number of a watched account. @param number its own number, from 1 */
export function watchedAccount(number: number): number {
  return WATCHED_FROM + number;
}

/** The number of a watched account; null for an account of the wallet tree, whose keys are the till's. */
export function watchNumber({ account }: Pick<KeyPath, 'account'>): number | null {
  return account < WATCHED_FROM ? null : account - WATCHED_FROM;
}

/** Turns a key path into the address it controls. Local arithmetic only, no network. */
export interface AddressDeriver {
  address(path: KeyPath): string;
}

/** Lends private keys to the signer. The caller must not keep, log or store the bytes. */
export interface KeySource {
  privateKey(path: KeyPath): Uint8Array;
}

/** Encrypts short secrets (webhook secrets, idempotent answers) for the database. AES-256-GCM. */
export interface SecretBox {
  seal(plain: string): string;
  open(sealed: string): string;
}

/** Network used for addresses and coin type of a chain: sandbox chains are always `testnet`. */
export function addressNetwork(mode: Mode, liveNetwork: Network): Network {
  return mode === 'sandbox' ? 'testnet' : liveNetwork;
}

/** Public keys of another wallet, parsed: they derive its receiving addresses and cannot spend. */
export interface ReceiveBranch {
  /**
   * Output descriptor (BIP-380) with checksum and without key origins: the same addresses always have the same
   * one.
   */
  readonly descriptor: string;
  /** The receiving address at an index. */
  address(index: number): string;
}

/** Reads an extended public key (SLIP-132) or an output descriptor of a coin; the problem completes "descriptor …". */
export type ReadReceiveBranch = (
  chain: { readonly coin: Coin; readonly mode: Mode },
  text: string,
) => ReceiveBranch | { readonly problem: string };

/** Why no wallet can have the key of a listed address, or null where that is not recognisable; completes "addresses.3 …". */
export type FindListedProblem = (coin: Coin, address: string) => string | null;

/** Public keys of an account of another wallet whose addresses the shop gives out; they cannot spend. */
export interface WatchAccountKeys {
  /** Output descriptor (BIP-380, BIP-389) with checksum, key origins and both branches. */
  readonly descriptor: string;
  /** The branch for payments alone, without key origins: the form of ReceiveBranch, which forwards go to. */
  readonly receiveDescriptor: string;
  /** The address at an index: branch 0 is for payments, 1 for change. */
  address(branch: 0 | 1, index: number): string;
  /** Its transactions, which the other wallet signs; null for an account of legacy addresses (pkh). */
  readonly psbts: PsbtAccount | null;
}

/**
 * Reads an extended public key (SLIP-132) with the branch below it, or an output descriptor; the problem completes
 * "descriptor …".
 */
export type ReadWatchAccount = (
  chain: { readonly coin: Coin; readonly mode: Mode },
  text: string,
  path?: string,
) => WatchAccountKeys | { readonly problem: string };
