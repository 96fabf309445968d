import { setImmediate } from 'node:timers/promises';
import type { OpenAccount } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { type CachedAccount, AccountCache } from './account-cache.ts';
import {
  accountsAfter,
  accountsOfPayments,
  confirmingPayments,
  unspentParts,
  isWaiting,
  newestAccounts,
  newestAddressId,
  ownAccounts,
  paymentTimes,
  supersededPayments,
  unpaidPayments,
} from './account-rows.ts';
import { AccountRotation } from './account-rotation.ts';
import type { ChangeNotes } from '../sqlite/change-tracker.ts';
import type { Db } from '../sqlite/database.ts';

/** How many accounts a polling pass covers, and how many awaited ones it leaves to the next passes. */
export interface PollSize {
  readonly awaited: number;
  readonly finished: number;
  readonly left: number;
}

type OnPoll = (chain: ChainId, size: PollSize) => void;

/** Accounts per read, which takes half a millisecond. */
const PAGE = 500;
/** Above this many new addresses since the last pass, the cache is rebuilt. */
const MAX_NEW = 2_000;
/**
 * Maximum number of waiting payments whose accounts are cached, as a multiple of the limit; the first to
 * expire are kept.
 */
const MAX_WAITING = 10;

/**
 * The accounts to poll, with their balances in the ledger: the merchants' own, then those of payments that
 * wait for money, earliest expiry first, then, as far as the limit allows, those of the newest finished
 * payments. Cached: each pass rereads what was written since, or everything when the changes are unknown.
 */
export class OpenAccounts {
  readonly #db: Db;
  readonly #chain: ChainId;
  readonly #limit: number;
  readonly #turns: AccountRotation<CachedAccount>;
  #kept: { readonly cache: AccountCache; readonly version: unknown } | null = null;
  /** Changes since the last pass, once there is a cache. */
  #notes: ChangeNotes | null = null;
  #last: Promise<unknown> = Promise.resolve();

  readonly #onPoll: OnPoll;

  /** @param limit accounts in one pass, the merchants' own not counted */
  constructor(db: Db, { coin, mode }: ChainId, limit: number, onPoll: OnPoll = () => undefined) {
    this.#db = db;
    this.#chain = { coin, mode };
    this.#limit = limit;
    this.#turns = new AccountRotation(limit);
    this.#onPoll = onPoll;
  }

  /**
   * The accounts of one pass, each once, in batches; addresses created during the pass are not included.
   * @param closedAfterMs a payment that no longer waits is included until this long after its expiry
   */
  async *poll(closedAfterMs: number): AsyncGenerator<readonly OpenAccount[], void> {
    const loading = this.#last.then(async () => (await this.#caughtUp()) ?? this.#load());
    this.#last = loading.catch(() => undefined);
    const cache = await loading;
    const recent = cache.newest.filter(
      ({ payment }) => payment?.isWaiting === false && payment.expiresAt > closedAfterMs,
    );
    const { awaited, finished } = this.#turns.choose(cache.awaited, recent);
    this.#onPoll(this.#chain, {
      awaited: cache.own.length + awaited.length,
      finished: finished.length,
      left: cache.awaited.length - awaited.length,
    });
    yield [...toOpenAccounts(cache.own, true), ...toOpenAccounts(awaited, true)];
    yield toOpenAccounts(finished, false);
  }

  /** Reads everything, and caches it unless changes may have been missed in the meantime. */
  async #load(): Promise<AccountCache> {
    const watch = this.#db.database.changes;
    const version = watch.foreignVersion();
    const mayKeep = watch.isSettled();
    if (mayKeep) (this.#notes ??= watch.listen())?.clear();
    const cache = new AccountCache(this.#limit);
    const [newest] = await newestAddressId(this.#db, this.#chain);
    cache.newestId = newest?.id ?? 0;
    const selection = { ...this.#chain, newest: cache.newestId, limit: this.#limit };
    cache.own.push(...cache.add(await ownAccounts(this.#db, selection)));
    await this.#loadNewest(cache);
    const hasAll =
      (await this.#loadWaiting(cache, unpaidPayments)) &&
      (await this.#loadWaiting(cache, confirmingPayments));
    if (mayKeep && hasAll) this.#kept = { cache, version };
    return cache;
  }

  async #loadNewest(cache: AccountCache): Promise<void> {
    let below = cache.newestId + 1;
    for (let left = this.#limit; left > 0; left -= PAGE) {
      const size = Math.min(PAGE, left);
      const page = cache.add(await newestAccounts(this.#db, { ...this.#chain, below, size }));
      cache.newest.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < size) break;
      below = last.id;
      await setImmediate();
    }
    cache.newest.reverse();
  }

  /** Adds waiting accounts that are not among the newest. False when there are more than the cache holds. */
  async #loadWaiting(cache: AccountCache, payments: typeof unpaidPayments): Promise<boolean> {
    let after = { expiresAt: 0, id: '' };
    for (let read = 0; read < MAX_WAITING * this.#limit; read += PAGE) {
      const page = await payments(this.#db, { mode: this.#chain.mode, ...after, size: PAGE });
      const ids = await this.#withSuperseded(page.map(({ id }) => id));
      cache.add(await accountsOfPayments(this.#db, this.#chain, ids));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return true;
      after = { expiresAt: last.expiresAt, id: last.id };
      await setImmediate();
    }
    return false;
  }

  /** The cache brought up to date; null when it has to be rebuilt. */
  async #caughtUp(): Promise<AccountCache | null> {
    const watch = this.#db.database.changes;
    const [cached, notes] = [this.#kept, this.#notes];
    if (cached === null || notes === null) return null;
    // Dropped until the update completes: the notes cleared below would otherwise be lost on an error.
    this.#kept = null;
    if (notes.isLost || watch.foreignVersion() !== cached.version) return null;
    const [payments, addresses] = [[...notes.payments], [...notes.addresses]];
    if (watch.isSettled()) notes.clear();
    const { cache } = cached;
    if (!(await this.#takeNew(cache))) return null;
    for (const id of await this.#withSuperseded(payments)) await this.#readTimes(cache, id);
    for (const id of addresses) await this.#readHeld(cache, id);
    this.#kept = cached;
    return cache;
  }

  /** These payments, and those whose money counts for them. */
  async #withSuperseded(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return ids;
    const members = await supersededPayments(this.#db, {}, ids);
    return members.length === 0 ? ids : [...new Set([...ids, ...members.map(({ id }) => id)])];
  }

  /** False when there are too many to add one by one. */
  async #takeNew(cache: AccountCache): Promise<boolean> {
    const after = cache.newestId;
    const rows = await accountsAfter(this.#db, { ...this.#chain, after, size: MAX_NEW });
    const entries = cache.add(rows).toReversed();
    if (entries.length >= MAX_NEW) return false;
    cache.addNewest(entries);
    return true;
  }

  async #readTimes(cache: AccountCache, id: string): Promise<void> {
    const [row] = await paymentTimes(this.#db, { id });
    // An old payment waits again when a reorg reverted its money.
    if (!cache.setTimes(id, row) && isWaiting(row)) {
      const rows = await accountsOfPayments(this.#db, this.#chain, [id]);
      // Newer ones are added by the next pass.
      cache.add(rows.filter((each) => each.id <= cache.newestId));
    }
  }

  async #readHeld(cache: AccountCache, id: number): Promise<void> {
    if (cache.has(id)) cache.setHeld(id, await unspentParts(this.#db, { id }));
  }
}

function toOpenAccounts(entries: readonly CachedAccount[], isAwaited: boolean): OpenAccount[] {
  return entries.map((entry) => {
    if (entry.account.isAwaited !== isAwaited) entry.account = { ...entry.account, isAwaited };
    return entry.account;
  });
}
