import type { Coin, Mode, Network } from './coins.ts';

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
