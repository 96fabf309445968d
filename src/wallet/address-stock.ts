import { Worker } from 'node:worker_threads';
import { HARDENED_OFFSET } from '@scure/bip32';
import { addressNetwork, type AddressDeriver, type KeyPath } from '../domain/keys.ts';
import type { Network } from '../domain/coins.ts';
import type { Logger } from '../domain/ports.ts';
import { SEGWIT_PREFIXES } from './addresses.ts';
import type { Wallet } from './derivation.ts';
import { LruCache } from './lru-cache.ts';
import type { StockDelivery, StockOrder, StockSource } from './stock-worker.ts';

/** Branches with addresses in stock; each holds at most MOST of them, about 100 bytes apiece. */
const BRANCHES = 1_024;
const FIRST = 4;
const MOST = 256;

/** The next addresses of one branch, by index. */
interface Shelf {
  readonly ready: Map<number, string>;
  /** Index after the last one made or ordered. */
  end: number;
  /** How many are ordered at a time: twice as many whenever they did not last. */
  batch: number;
  ordered: boolean;
}

export interface AddressStock extends AddressDeriver {
  /** Ends the worker; addresses are then derived on the spot. */
  close(): Promise<void>;
}

/**
 * Derives the next addresses of a branch ahead in a worker thread, so that a payment finds its own
 * ready: the curve arithmetic of three coins takes longer than all the rest of creating a payment.
 * An address is a function of its path alone, so a stock can be lost or unused, but never wrong about
 * who has which address. Of secp256k1 branches the worker gets public keys only; of Solana, whose every
 * address needs a private key, the account's, which it wipes as soon as it has served the order. What is
 * not in stock is derived on the spot.
 */
export function createAddressStock(wallet: Wallet, liveNetwork: Network, logger: Logger): AddressStock {
  const shelves = new LruCache<Shelf>(BRANCHES);
  let worker: Worker | null = null;
  let isClosed = false;

  const giveUp = (error: unknown): void => {
    worker = null;
    if (isClosed) return;
    isClosed = true;
    logger.warn({ err: error }, 'addresses are no longer derived ahead, which makes new payments slower');
  };

  const started = (): Worker => {
    if (worker !== null) return worker;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    worker = new Worker(new URL(`./stock-worker.${extension}`, import.meta.url));
    worker.unref();
    worker.on('message', ({ key, from, addresses }: StockDelivery) => {
      const shelf = shelves.get(key, newShelf);
      shelf.ordered = false;
      for (const [at, address] of addresses.entries()) shelf.ready.set(from + at, address);
      for (const index of shelf.ready.keys()) {
        if (shelf.ready.size <= 2 * MOST) break;
        shelf.ready.delete(index);
      }
    });
    worker.on('error', giveUp);
    return worker;
  };

  const restock = (path: KeyPath, key: string, shelf: Shelf): void => {
    const { index } = path;
    if (isClosed || shelf.ordered) return;
    if (shelf.end < index + 1 || shelf.end > index + 1 + 2 * MOST) shelf.end = index + 1;
    if (shelf.end - (index + 1) > shelf.batch / 2 || shelf.end + shelf.batch > HARDENED_OFFSET) return;
    const source = sourceOf(wallet, liveNetwork, path);
    const order: StockOrder = { key, from: shelf.end, count: shelf.batch, source };
    shelf.ordered = true;
    shelf.end += shelf.batch;
    started().postMessage(order, privateBytesOf(source));
  };

  return {
    address(path) {
      const key = `${path.coin}/${path.mode}/${path.account}/${path.branch}`;
      const shelf = shelves.get(key, newShelf);
      const ready = shelf.ready.get(path.index);
      shelf.ready.delete(path.index);
      // Nothing left, though there had been a stock: more were wanted at once than were made.
      if (ready === undefined && shelf.end > path.index) shelf.batch = Math.min(MOST, 2 * shelf.batch);
      const address = ready ?? wallet.address(path);
      restock(path, key, shelf);
      return address;
    },
    close: async () => {
      isClosed = true;
      await worker?.terminate();
    },
  };
}

/** What the worker derives a branch's addresses from. */
function sourceOf(wallet: Wallet, liveNetwork: Network, path: KeyPath): StockSource {
  const { coin, mode } = path;
  if (coin === 'SOL') return { curve: 'ed25519', ...wallet.solanaAccount(path) };
  const { publicKey, chainCode } = wallet.publicBranch(path);
  const prefix = coin === 'ETH' ? null : SEGWIT_PREFIXES[coin][addressNetwork(mode, liveNetwork)];
  return { curve: 'secp256k1', publicKey, chainCode, prefix };
}

/** They move to the worker, so that no copy of them stays behind. */
function privateBytesOf(source: StockSource): ArrayBuffer[] {
  return source.curve === 'ed25519' ? [source.privateKey.buffer, source.chainCode.buffer] : [];
}

function newShelf(): Shelf {
  return { ready: new Map(), end: 0, batch: FIRST, ordered: false };
}
