import { hash } from 'node:crypto';
import { base58, bech32 } from '@scure/base';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Network } from '../domain/coins.ts';

/** Human-readable parts of witness addresses (BIP-173; chainparams.cpp of each node). */
export const SEGWIT_PREFIXES: Readonly<Record<'BTC' | 'LTC', Readonly<Record<Network, string>>>> = {
  BTC: { mainnet: 'bc', testnet: 'tb', regtest: 'bcrt' },
  LTC: { mainnet: 'ltc', testnet: 'tltc', regtest: 'rltc' },
};

/** Version 0 witness key hash address (P2WPKH) of a compressed public key. */
export function witnessAddress(compressedKey: Uint8Array, prefix: string): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(hash160(compressedKey))]);
}

function hash160(bytes: Uint8Array): Buffer {
  return hash('ripemd160', hash('sha256', bytes, 'buffer'), 'buffer');
}

/** EIP-55 checksummed address of an uncompressed (65-byte) secp256k1 public key. */
export function ethereumAddress(uncompressedKey: Uint8Array): string {
  return checksumAddress(hex(keccak_256(uncompressedKey.subarray(1)).subarray(-20)));
}

/** EIP-55: a letter is upper case where the hash of the lower-case address has a nibble of 8 or more. */
export function checksumAddress(lowerHex: string): string {
  const digest = hex(keccak_256(Buffer.from(lowerHex)));
  const letters = Array.from(lowerHex, (letter, at) =>
    digest.charCodeAt(at) >= EIGHT ? letter.toUpperCase() : letter,
  );
  return `0x${letters.join('')}`;
}

/** A Solana account address is the base58 of its ed25519 public key. */
export function solanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey);
}

/** In hex digests the characters 8, 9, a to f are all at or after "8". */
const EIGHT = '8'.charCodeAt(0);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
