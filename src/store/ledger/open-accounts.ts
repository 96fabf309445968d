import { setImmediate } from 'node:timers/promises';
import type { OpenAccount } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { type CachedAccount, AccountCache } from './account-cache.ts';
import {
  accountsAfter,
  accountsOfPayments,
  confirmingPayments,
  heldBy,
  isWaiting,
  newestAccounts,
  newestAddressOf,
  ownAccounts,
  paymentTimes,
  unpaidPayments,
} from './account-rows.ts';
import { AccountTurns } from './account-turns.ts';
import type { ChangeNotes } from '../sqlite/change-tracker.ts';
import type { Db } from '../sqlite/database.ts';

/** How many accounts a look covers, and how many awaited ones it leaves to the next looks. */
export interface LookSize {
  readonly awaited: number;
  readonly finished: number;
  readonly left: number;
}

type OnLook = (chain: ChainId, size: LookSize) => void;

/** Accounts read in one go: half a millisecond. */
const PAGE = 500;
/** More new addresses than this since the last look, and everything is read anew. */
const MAX_NEW = 2_000;
/** Payments that wait, of which accounts are kept, as a multiple of what is looked at: of more, only the first to expire. */
const MAX_WAITING = 10;

/**
 * The accounts to look at, with what the ledger says that each holds: the merchants' own, those of payments that
 * wait for money, the first to expire first, and in what room is left those of the newest payments that are
 * finished. They are read once and kept; each look reads again what was written since, and all of it whenever it
 * is not known what that was.
 */
export class OpenAccounts {
  readonly #db: Db;
  readonly #chain: ChainId;
  readonly #limit: number;
  readonly #turns: AccountTurns<CachedAccount>;
  #kept: { readonly cache: AccountCache; readonly version: unknown } | null = null;
  /** Of what was written since the last look, once there is anything to keep. */
  #notes: ChangeNotes | null = null;
  #last: Promise<unknown> = Promise.resolve();

  readonly #onLook: OnLook;

  /** @param limit accounts in one look, the merchants' own not counted */
  constructor(db: Db, { coin, mode }: ChainId, limit: number, onLook: OnLook = () => undefined) {
    this.#db = db;
    this.#chain = { coin, mode };
    this.#limit = limit;
    this.#turns = new AccountTurns(limit);
    this.#onLook = onLook;
  }

  /**
   * The accounts of one look, each once, in lists; what is given out later is not among them.
   * @param closedAfterMs a payment that waits no more counts until this long after its time was up
   */
  async *look(closedAfterMs: number): AsyncGenerator<readonly OpenAccount[], void> {
    const looking = this.#last.then(async () => (await this.#caughtUp()) ?? this.#load());
    this.#last = looking.catch(() => undefined);
    const cache = await looking;
    const recent = cache.newest.filter(
      ({ payment }) => payment?.isWaiting === false && payment.expiresAt > closedAfterMs,
    );
    const { awaited, finished } = this.#turns.choose(cache.awaited, recent);
    this.#onLook(this.#chain, {
      awaited: cache.own.length + awaited.length,
      finished: finished.length,
      left: cache.awaited.length - awaited.length,
    });
    yield [...accountsOf(cache.own, true), ...accountsOf(awaited, true)];
    yield accountsOf(finished, false);
  }

  /** Reads everything, and keeps it when nothing can have been missed meanwhile. */
  async #load(): Promise<AccountCache> {
    const watch = this.#db.database.changes;
    const version = watch.foreignVersion();
    const mayKeep = watch.isSettled();
    if (mayKeep) (this.#notes ??= watch.listen())?.clear();
    const cache = new AccountCache(this.#limit);
    const [newest] = await newestAddressOf(this.#db, this.#chain);
    cache.newestId = newest?.id ?? 0;
    const own = { ...this.#chain, newest: cache.newestId, limit: this.#limit };
    cache.own.push(...cache.add(await ownAccounts(this.#db, own)));
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

  /** Those that are not among the newest. False when there are more than are kept. */
  async #loadWaiting(cache: AccountCache, payments: typeof unpaidPayments): Promise<boolean> {
    let after = { expiresAt: 0, id: '' };
    for (let read = 0; read < MAX_WAITING * this.#limit; read += PAGE) {
      const page = await payments(this.#db, { mode: this.#chain.mode, ...after, size: PAGE });
      const ids = page.map(({ id }) => id);
      cache.add(await accountsOfPayments(this.#db, this.#chain, ids));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return true;
      after = { expiresAt: last.expires_at, id: last.id };
      await setImmediate();
    }
    return false;
  }

  /** What is kept, as of now; null when everything has to be read. */
  async #caughtUp(): Promise<AccountCache | null> {
    const watch = this.#db.database.changes;
    const [kept, notes] = [this.#kept, this.#notes];
    if (kept === null || notes === null) return null;
    // Forgotten until all is read: what is cleared below would be missed otherwise.
    this.#kept = null;
    if (notes.isLost || watch.foreignVersion() !== kept.version) return null;
    const [payments, addresses] = [[...notes.payments], [...notes.addresses]];
    if (watch.isSettled()) notes.clear();
    const { cache } = kept;
    if (!(await this.#takeNew(cache))) return null;
    for (const id of payments) await this.#readTimes(cache, id);
    for (const id of addresses) await this.#readHeld(cache, id);
    this.#kept = kept;
    return cache;
  }

  /** False when there are too many to be read like this. */
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
    // An old payment waits again when its money was taken back.
    if (!cache.setTimes(id, row) && isWaiting(row)) {
      const rows = await accountsOfPayments(this.#db, this.#chain, [id]);
      // Newer ones come with the next look.
      cache.add(rows.filter((each) => each.id <= cache.newestId));
    }
  }

  async #readHeld(cache: AccountCache, id: number): Promise<void> {
    if (cache.has(id)) cache.setHeld(id, await heldBy(this.#db, { id }));
  }
}

function accountsOf(entries: readonly CachedAccount[], isAwaited: boolean): OpenAccount[] {
  return entries.map((entry) => {
    if (entry.account.isAwaited !== isAwaited) entry.account = { ...entry.account, isAwaited };
    return entry.account;
  });
}
