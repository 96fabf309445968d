/** Addresses of a cold wallet on account chains, as a hardware wallet exports them. */
import { computeAddress } from 'ethers/transaction';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';

/** The private key of an address of a cold wallet; deterministic. */
export function coldKey(wallet: string, index: number): Uint8Array {
  return sha256(new TextEncoder().encode(`${wallet} ${index}`));
}

export function coldAddress(coin: 'ETH' | 'SOL', wallet: string, index: number): string {
  const key = coldKey(wallet, index);
  return coin === 'ETH' ? computeAddress(`0x${hex.encode(key)}`) : base58.encode(ed25519.getPublicKey(key));
}

export function coldAddresses(coin: 'ETH' | 'SOL', wallet: string, count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, at) => coldAddress(coin, wallet, from + at));
}
