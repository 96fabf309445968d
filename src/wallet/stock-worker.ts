import { parentPort } from 'node:worker_threads';
import { ethereumAddress, witnessAddress } from './addresses.ts';
import { branchOf, childPoints } from './secp256k1-branch.ts';

/** The next addresses of a branch that are wanted; nothing in it is secret to holders of the public key. */
export interface StockOrder {
  readonly key: string;
  readonly publicKey: Uint8Array;
  readonly chainCode: Uint8Array;
  readonly from: number;
  readonly count: number;
  /** Human-readable part of witness addresses; null for Ethereum. */
  readonly prefix: string | null;
}

export interface StockDelivery {
  readonly key: string;
  readonly from: number;
  readonly addresses: readonly string[];
}

/** So many at a time: their inversions are shared, and others need not wait long. */
const SLICE = 16;

parentPort?.on('message', ({ key, publicKey, chainCode, from, count, prefix }: StockOrder) => {
  const branch = branchOf(publicKey, chainCode);
  const addresses: string[] = [];
  for (let at = 0; at < count; at += SLICE) {
    for (const point of childPoints(branch, from + at, Math.min(SLICE, count - at))) {
      addresses.push(
        prefix === null ? ethereumAddress(point.toBytes(false)) : witnessAddress(point.toBytes(true), prefix),
      );
    }
  }
  const delivery: StockDelivery = { key, from, addresses };
  parentPort?.postMessage(delivery);
});
