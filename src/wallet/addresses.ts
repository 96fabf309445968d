import { hash } from 'node:crypto';
import { base58, bech32, createBase58check } from '@scure/base';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';

const base58Check = createBase58check((bytes: Uint8Array) => hash('sha256', bytes, 'buffer'));

/** Address of a compressed public key: native segwit (BIP-173) where the coin has it, else P2PKH. */
export function keyHashAddress(
  { scriptType, networks }: Pick<UtxoCoin, 'scriptType' | 'networks'>,
  network: Network,
  compressedKey: Uint8Array,
): string {
  const { hrp, pubKeyHashVersions } = networks[network];
  const keyHash = hash160(compressedKey);
  if (scriptType === 'p2pkh') return base58Check.encode(Uint8Array.of(pubKeyHashVersions[0], ...keyHash));
  if (hrp === null) throw new Error('segwit addresses need a human-readable part');
  return bech32.encode(hrp, [0, ...bech32.toWords(keyHash)]);
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

/** EIP-55 uppercases a letter whose digest nibble is 8 or more; in hex those characters sort at or after "8". */
const EIGHT = '8'.charCodeAt(0);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
