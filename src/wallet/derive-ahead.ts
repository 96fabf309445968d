import { assertNever } from '../domain/errors.ts';
import type { Service } from '../thread/serve.ts';
import { ethereumAddress, solanaAddress, witnessAddress } from './addresses.ts';
import {
  ed25519PublicKey,
  hardenedChildKey,
  type Ed25519Node,
  type OwnedEd25519Node,
} from './ed25519-node.ts';
import type { EncodablePoint } from './secp256k1-batch.ts';
import { branchOf, childPoints } from './secp256k1-branch.ts';

/** The extended public key above the addresses of a branch. */
interface PublicSource {
  readonly curve: 'secp256k1';
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
  /** Human-readable part of witness addresses; null for Ethereum. */
  readonly prefix: string | null;
}

/** The node above Solana's addresses, which come from private keys only. Wiped as soon as they are made. */
interface PrivateSource extends OwnedEd25519Node {
  readonly curve: 'ed25519';
}

export type StockSource = PublicSource | PrivateSource;

/** The next addresses of a branch that are wanted. */
export interface StockOrder {
  readonly key: string;
  readonly from: number;
  readonly count: number;
  readonly source: StockSource;
}

export interface StockDelivery {
  readonly key: string;
  readonly from: number;
  readonly addresses: readonly string[];
}

/** Derives the next addresses of branches, in a thread: see AddressStock. */
export function deriveAhead(): Service<StockOrder, StockDelivery> {
  return {
    serve: ({ key, from, count, source }) => ({ key, from, addresses: addressesOf(source, from, count) }),
  };
}

function addressesOf(source: StockSource, from: number, count: number): string[] {
  switch (source.curve) {
    case 'secp256k1': {
      const { prefix } = source;
      const branch = branchOf(source.publicKey, source.chainCode);
      const addressAt = (point: EncodablePoint): string =>
        prefix === null ? ethereumAddress(point.toBytes(false)) : witnessAddress(point.toBytes(true), prefix);
      return childPoints(branch, from, count).map(addressAt);
    }
    case 'ed25519': {
      const addresses = Array.from({ length: count }, (_, at) => solanaAddressAt(source, from + at));
      source.privateKey.fill(0);
      source.chainCode.fill(0);
      return addresses;
    }
    default:
      return assertNever(source);
  }
}

function solanaAddressAt(account: Ed25519Node, index: number): string {
  const key = hardenedChildKey(account, index);
  const address = solanaAddress(ed25519PublicKey(key));
  key.fill(0);
  return address;
}
