import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';
import { Address, p2pkh, p2wpkh } from '@scure/btc-signer';
import type { BTC_NETWORK } from '@scure/btc-signer/utils.js';
import { getAddress } from 'ethers/address';
import { computeAddress } from 'ethers/transaction';
import { byCoin, COIN_DEFINITIONS, COINS, type Coin } from '../../domain/coins.ts';
import type { UtxoCoin } from '../../domain/coins/definition.ts';
import { ETHEREUM } from '../../domain/coins/ethereum.ts';
import { SOLANA } from '../../domain/coins/solana.ts';

/** Parameters of a coin on the sandbox network: formats, keys and fee levels. */
export interface CoinFormat {
  /** Returns null for a testnet address of this coin, else the reason as a predicate. */
  validateAddress(address: string): string | null;
  /** The canonical spelling of an address, under which its money is indexed. */
  canonical(address: string): string;
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The address that this public key controls. */
  addressOf(publicKey: Uint8Array): string;
  /** The digest of a message that the keys sign, shared by all signatures. */
  digest(message: Uint8Array): Uint8Array;
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  verify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
  /** Hash of a transaction or block in the coin's own format. */
  transactionId(bytes: Uint8Array): string;
  blockHash(bytes: Uint8Array): string;
  /** Size units (vB, gas, thousandths of a signature) of a transaction. */
  size(inputs: number, outputs: number): bigint;
  /** Atoms per 1,000 size units. */
  readonly feeRate: bigint;
  /** Smallest output that the network relays (dust limit), in atoms. */
  readonly dust: bigint;
  /** Smallest sensible payment to a fresh address, in atoms. */
  readonly minimumPayment: bigint;
}

function secp256k1Keys(): Pick<CoinFormat, 'publicKey' | 'digest' | 'sign' | 'verify'> {
  return {
    publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, true),
    digest: (message) => sha256(message),
    sign: (digest, privateKey) => secp256k1.sign(digest, privateKey, { prehash: false }),
    verify: (signature, digest, publicKey) =>
      secp256k1.verify(signature, digest, publicKey, { prehash: false }),
  };
}

function bitcoinLike(coin: UtxoCoin): CoinFormat {
  const { hrp, pubKeyHashVersions, scriptHashVersions } = coin.networks.testnet;
  // The version byte of exported keys does not occur in an address.
  const network: BTC_NETWORK = {
    bech32: hrp ?? '',
    pubKeyHash: pubKeyHashVersions[0],
    scriptHash: scriptHashVersions[0],
    wif: 0,
  };
  const coder = Address(network);
  const isBech32 = (address: string) => hrp !== null && address.toLowerCase().startsWith(`${hrp}1`);
  const pay = coin.scriptType === 'p2wpkh' ? p2wpkh : p2pkh;
  const [overhead, input, output] = coin.scriptType === 'p2wpkh' ? [11, 68, 31] : [10, 148, 34];
  return {
    ...secp256k1Keys(),
    ...coin.sandbox,
    validateAddress: (address) => {
      if (/^(ltc|t)mweb1/i.test(address)) return 'is an MWEB address, which is not supported';
      try {
        coder.decode(address);
        return null;
      } catch {
        return `is not a ${coin.name} testnet address`;
      }
    },
    canonical: (address) => (isBech32(address) ? address.toLowerCase() : address),
    addressOf: (publicKey) => {
      const { address } = pay(publicKey, network);
      if (address === undefined) throw new Error('a public key hash has no address');
      return address;
    },
    transactionId: (bytes) => hex.encode(sha256(bytes)),
    blockHash: (bytes) => hex.encode(sha256(bytes)),
    size: (inputs, outputs) => BigInt(overhead + input * inputs + output * outputs),
  };
}

const ethereum: CoinFormat = {
  ...secp256k1Keys(),
  ...ETHEREUM.sandbox,
  validateAddress: (address) => {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'is not an Ethereum address (0x and 40 hex digits)';
    if (/^0x0{40}$/.test(address)) return 'is the zero address, which nobody owns';
    try {
      getAddress(address);
      return null;
    } catch {
      return 'has a wrong checksum (EIP-55): it may be mistyped';
    }
  },
  canonical: (address) => address.toLowerCase(),
  addressOf: (publicKey) => computeAddress(`0x${hex.encode(publicKey)}`),
  transactionId: (bytes) => `0x${hex.encode(sha256(bytes))}`,
  blockHash: (bytes) => `0x${hex.encode(sha256(bytes))}`,
  size: (inputs) => 21_000n * BigInt(Math.max(1, inputs)),
};

const solana: CoinFormat = {
  publicKey: (privateKey) => ed25519.getPublicKey(solanaSeed(privateKey)),
  digest: (message) => message,
  sign: (digest, privateKey) => ed25519.sign(digest, solanaSeed(privateKey)),
  verify: (signature, digest, publicKey) => ed25519.verify(signature, digest, publicKey),
  ...SOLANA.sandbox,
  validateAddress: (address) => {
    if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address) || base58.decode(address).length !== 32) {
      return 'is not a Solana address (32 bytes in base58)';
    }
    return /^1+$/.test(address) ? 'is the system program, which cannot be paid' : null;
  },
  canonical: (address) => address,
  addressOf: (publicKey) => base58.encode(publicKey),
  transactionId: (bytes) => base58.encode(sha512(bytes)),
  blockHash: (bytes) => base58.encode(sha256(bytes)),
  size: (inputs) => 1_000n * BigInt(Math.max(1, inputs)),
};

/** Solana tools append the public half to the seed; signing needs the seed alone. */
function solanaSeed(privateKey: Uint8Array): Uint8Array {
  return privateKey.length === 64 ? privateKey.subarray(0, 32) : privateKey;
}

export const COIN_FORMATS: Readonly<Record<Coin, CoinFormat>> = byCoin(COINS, (coin) => {
  const definition = COIN_DEFINITIONS[coin];
  if (definition.family === 'utxo') return bitcoinLike(definition);
  return definition.family === 'ethereum' ? ethereum : solana;
});
