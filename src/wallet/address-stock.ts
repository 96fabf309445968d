import { HARDENED_OFFSET } from '@scure/bip32';
import { addressNetwork, type AddressDeriver, type KeyPath } from '../domain/keys.ts';
import type { Network } from '../domain/coins.ts';
import type { Logger } from '../domain/ports.ts';
import type { LineEnd, SharedThread, ThreadLine } from '../thread/shared-thread.ts';
import { SEGWIT_PREFIXES } from './addresses.ts';
import type { Wallet } from './derivation.ts';
import { LruCache } from './lru-cache.ts';
import type { StockDelivery, StockOrder, StockSource } from './derive-ahead.ts';
import { Patience } from './patience.ts';

/** Branches with addresses in stock; each holds at most MOST of them, about 100 bytes apiece. */
const BRANCHES = 1_024;
const FIRST = 4;
const MOST = 256;
/** So long after a thread failed or could not be had, another one is tried; each that fails, too, doubles it. */
const REST_MS = 60_000;
const LONGEST_REST = 64;
/** An order takes milliseconds: a thread that serves none of them for so long hangs. */
const PATIENCE_MS = 20_000;

/** The next addresses of one branch, by index. */
interface Shelf {
  readonly ready: Map<number, string>;
  /** Index after the last one made or ordered. */
  end: number;
  /** How many are ordered at a time: twice as many whenever they did not last. */
  batch: number;
  /** An address of the branch, while more of them are ordered. */
  ordered: KeyPath | null;
}

export interface AddressStock extends AddressDeriver {
  /** Addresses are then derived on the spot. @returns once the thread has no key any more */
  close(): Promise<void>;
}

interface StockOptions {
  readonly wallet: Wallet;
  readonly liveNetwork: Network;
  /** Where the stock is made. */
  readonly thread: SharedThread;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly restMs?: number;
  readonly patienceMs?: number;
}

/**
 * Derives the next addresses of a branch ahead in a thread, so that a payment finds its own
 * ready: the curve arithmetic of three coins takes longer than all the rest of creating a payment.
 * An address is a function of its path alone, so a stock can be lost or unused. Of each delivery one
 * address is derived here, too, and all are thrown away when it differs: money sent to a wrong address
 * would be gone. Of secp256k1 branches the thread gets public keys only; of Solana, whose every
 * address needs a private key, the account's, which it wipes as soon as it has served the order. What is
 * not in stock, for whatever reason, is derived on the spot. A thread that fails or hangs is ended, and
 * another one tried after a rest.
 */
export function createAddressStock(options: StockOptions): AddressStock {
  return new ThreadStock(options);
}

class ThreadStock implements AddressStock {
  readonly #options: StockOptions;
  #shelves = new LruCache<Shelf>(BRANCHES);
  #line: ThreadLine<StockOrder> | null = null;
  readonly #patience: Patience;
  /** Threads in a row that failed, and what was last said of them. */
  #failures = 0;
  #told: string | null = null;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: StockOptions) {
    this.#options = options;
    this.#patience = new Patience(
      options.patienceMs ?? PATIENCE_MS,
      () => this.#line?.isServed === true,
      () => void this.#line?.giveUp(new Error('the thread hangs')),
    );
  }

  address(path: KeyPath): string {
    const key = `${path.coin}/${path.mode}/${path.account}/${path.branch}`;
    const shelf = this.#shelves.get(key, newShelf);
    const ready = shelf.ready.get(path.index);
    shelf.ready.delete(path.index);
    // Nothing left, though there had been a stock: more were wanted at once than were made.
    if (ready === undefined && shelf.end > path.index) shelf.batch = Math.min(MOST, 2 * shelf.batch);
    const address = ready ?? this.#options.wallet.address(path);
    this.#restock(path, key, shelf);
    return address;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#patience.end();
    await this.#line?.close();
  }

  #restock(path: KeyPath, key: string, shelf: Shelf): void {
    const { index } = path;
    if (this.#isClosed || shelf.ordered !== null || performance.now() < this.#restsUntil) return;
    if (shelf.end < index + 1 || shelf.end > index + 1 + 2 * MOST) shelf.end = index + 1;
    if (shelf.end - (index + 1) > shelf.batch / 2 || shelf.end + shelf.batch > HARDENED_OFFSET) return;
    const source = sourceOf(this.#options, path);
    const order: StockOrder = { key, from: shelf.end, count: shelf.batch, source };
    shelf.ordered = path;
    shelf.end += shelf.batch;
    try {
      this.#line ??= this.#opened();
      this.#line.order(order, privateBytesOf(source));
      this.#patience.asked();
    } catch (error) {
      // The machine gives no more threads: that must keep nobody from paying.
      wipe(source);
      void this.#line?.close();
      this.#rest(error);
    }
  }

  #opened(): ThreadLine<StockOrder> {
    return this.#options.thread.open<StockOrder, StockDelivery>('deriveAhead', null, {
      answered: (delivery) => this.#take(delivery),
      ended: (end) => this.#lose(end),
    });
  }

  #take({ key, from: first, addresses }: StockDelivery): void {
    this.#patience.answered();
    const shelf = this.#shelves.get(key, newShelf);
    const path = shelf.ordered;
    shelf.ordered = null;
    if (path === null) return;
    const at = Math.floor(Math.random() * addresses.length);
    if (addresses[at] !== this.#options.wallet.address({ ...path, index: first + at })) {
      void this.#line?.giveUp(new Error(`address ${first + at} of ${key} was derived wrongly`));
      return;
    }
    for (const [offset, address] of addresses.entries()) shelf.ready.set(first + offset, address);
    for (const index of shelf.ready.keys()) {
      if (shelf.ready.size <= 2 * MOST) break;
      shelf.ready.delete(index);
    }
    if (this.#told !== null) this.#options.logger.info({}, 'addresses are derived ahead again');
    this.#failures = 0;
    this.#told = null;
  }

  /** What was ordered never comes. */
  #lose({ error, isToBlame }: LineEnd): void {
    if (isToBlame) this.#rest(error);
    else this.#forget();
  }

  #forget(): void {
    this.#line = null;
    this.#patience.end();
    this.#shelves = new LruCache<Shelf>(BRANCHES);
  }

  /** Forgets the stock, and leaves it at that for a while. What fails again in the same way is not told again. */
  #rest(error: unknown): void {
    if (this.#isClosed) return;
    this.#forget();
    const { logger, restMs: firstRestMs = REST_MS } = this.#options;
    const restMs = firstRestMs * Math.min(LONGEST_REST, 2 ** this.#failures);
    this.#restsUntil = performance.now() + restMs;
    this.#failures += 1;
    const trouble = String(error);
    if (trouble === this.#told) return;
    this.#told = trouble;
    logger.error(
      { err: error, restMs },
      'addresses are not derived ahead for now, which makes new payments slower',
    );
  }
}

/** What the thread derives a branch's addresses from. */
function sourceOf({ wallet, liveNetwork }: StockOptions, path: KeyPath): StockSource {
  const { coin, mode } = path;
  if (coin === 'SOL') return { curve: 'ed25519', ...wallet.solanaAccount(path) };
  const { publicKey, chainCode } = wallet.publicBranch(path);
  const prefix = coin === 'ETH' ? null : SEGWIT_PREFIXES[coin][addressNetwork(mode, liveNetwork)];
  return { curve: 'secp256k1', publicKey, chainCode, prefix };
}

/** They move to the thread, so that no copy of them stays behind. */
function privateBytesOf(source: StockSource): ArrayBuffer[] {
  return source.curve === 'ed25519' ? [source.privateKey.buffer, source.chainCode.buffer] : [];
}

/** They stayed here after all. */
function wipe(source: StockSource): void {
  if (source.curve === 'secp256k1') return;
  source.privateKey.fill(0);
  source.chainCode.fill(0);
}

function newShelf(): Shelf {
  return { ready: new Map(), end: 0, batch: FIRST, ordered: null };
}
