import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { randomBytes } from 'node:crypto';
import { COIN_DEFINITIONS, type Coin, type Mode, type Network } from '../../src/domain/coins.ts';
import { assertNever } from '../../src/domain/errors.ts';
import type { KeyPath, KeySource } from '../../src/domain/keys.ts';
import { ethereumAddress, keyHashAddress, solanaAddress } from '../../src/wallet/addresses.ts';

export interface OwnedAddress {
  readonly address: string;
  readonly keyPath: KeyPath;
}

/** Addresses whose keys a test holds, made the way the wallet makes them but without a seed. */
export class OwnKeys implements KeySource {
  private readonly secrets: Uint8Array[] = [];
  private readonly coin: Coin;
  private readonly mode: Mode;
  private readonly network: Network;

  constructor(coin: Coin, mode: Mode, network: Network) {
    this.coin = coin;
    this.mode = mode;
    this.network = network;
  }

  newAddress(): OwnedAddress {
    const secret = new Uint8Array(randomBytes(32));
    this.secrets.push(secret);
    const index = this.secrets.length - 1;
    return {
      address: this.addressOf(secret),
      keyPath: { coin: this.coin, mode: this.mode, account: 0, branch: 0, index },
    };
  }

  privateKey(path: KeyPath): Uint8Array {
    const secret = this.secrets[path.index];
    if (secret === undefined) throw new Error(`no key at index ${path.index}`);
    return secret;
  }

  private addressOf(secret: Uint8Array): string {
    const definition = COIN_DEFINITIONS[this.coin];
    switch (definition.family) {
      case 'utxo':
        return keyHashAddress(definition, this.network, secp256k1.getPublicKey(secret, true));
      case 'ethereum':
        return ethereumAddress(secp256k1.getPublicKey(secret, false));
      case 'solana':
        return solanaAddress(ed25519.getPublicKey(secret));
      default:
        return assertNever(definition);
    }
  }
}
