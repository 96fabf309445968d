import { setImmediate } from 'node:timers/promises';
import type { OpenAccount } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import { type Entry, Picture } from './account-picture.ts';
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
import type { ChangeNotes } from './change-watch.ts';
import type { Db } from './database.ts';

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
  readonly #turns: AccountTurns<Entry>;
  #kept: { readonly picture: Picture; readonly version: unknown } | null = null;
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
    const picture = await looking;
    const recent = picture.newest.filter(
      ({ payment }) => payment?.isWaiting === false && payment.expiresAt > closedAfterMs,
    );
    const { awaited, finished } = this.#turns.choose(picture.awaited, recent);
    this.#onLook(this.#chain, {
      awaited: picture.own.length + awaited.length,
      finished: finished.length,
      left: picture.awaited.length - awaited.length,
    });
    yield [...accountsOf(picture.own, true), ...accountsOf(awaited, true)];
    yield accountsOf(finished, false);
  }

  /** Reads everything, and keeps it when nothing can have been missed meanwhile. */
  async #load(): Promise<Picture> {
    const watch = this.#db.database.changes;
    const version = watch.foreignVersion();
    const mayKeep = watch.isSettled();
    if (mayKeep) (this.#notes ??= watch.listen())?.clear();
    const picture = new Picture(this.#limit);
    const [newest] = await newestAddressOf(this.#db, this.#chain);
    picture.newestId = newest?.id ?? 0;
    const own = { ...this.#chain, newest: picture.newestId, limit: this.#limit };
    picture.own.push(...picture.add(await ownAccounts(this.#db, own)));
    await this.#loadNewest(picture);
    const hasAll =
      (await this.#loadWaiting(picture, unpaidPayments)) &&
      (await this.#loadWaiting(picture, confirmingPayments));
    if (mayKeep && hasAll) this.#kept = { picture, version };
    return picture;
  }

  async #loadNewest(picture: Picture): Promise<void> {
    let below = picture.newestId + 1;
    for (let left = this.#limit; left > 0; left -= PAGE) {
      const size = Math.min(PAGE, left);
      const page = picture.add(await newestAccounts(this.#db, { ...this.#chain, below, size }));
      picture.newest.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < size) break;
      below = last.id;
      await setImmediate();
    }
    picture.newest.reverse();
  }

  /** Those that are not among the newest. False when there are more than are kept. */
  async #loadWaiting(picture: Picture, payments: typeof unpaidPayments): Promise<boolean> {
    let after = { expiresAt: 0, id: '' };
    for (let read = 0; read < MAX_WAITING * this.#limit; read += PAGE) {
      const page = await payments(this.#db, { mode: this.#chain.mode, ...after, size: PAGE });
      const ids = page.map(({ id }) => id);
      picture.add(await accountsOfPayments(this.#db, this.#chain, ids));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return true;
      after = { expiresAt: last.expires_at, id: last.id };
      await setImmediate();
    }
    return false;
  }

  /** What is kept, as of now; null when everything has to be read. */
  async #caughtUp(): Promise<Picture | null> {
    const watch = this.#db.database.changes;
    const [kept, notes] = [this.#kept, this.#notes];
    if (kept === null || notes === null) return null;
    // Forgotten until all is read: what is cleared below would be missed otherwise.
    this.#kept = null;
    if (notes.isLost || watch.foreignVersion() !== kept.version) return null;
    const [payments, addresses] = [[...notes.payments], [...notes.addresses]];
    if (watch.isSettled()) notes.clear();
    const { picture } = kept;
    if (!(await this.#takeNew(picture))) return null;
    for (const id of payments) await this.#readTimes(picture, id);
    for (const id of addresses) await this.#readHeld(picture, id);
    this.#kept = kept;
    return picture;
  }

  /** False when there are too many to be read like this. */
  async #takeNew(picture: Picture): Promise<boolean> {
    const after = picture.newestId;
    const rows = await accountsAfter(this.#db, { ...this.#chain, after, size: MAX_NEW });
    const entries = picture.add(rows).toReversed();
    if (entries.length >= MAX_NEW) return false;
    picture.addNewest(entries);
    return true;
  }

  async #readTimes(picture: Picture, id: string): Promise<void> {
    const [row] = await paymentTimes(this.#db, { id });
    // An old payment waits again when its money was taken back.
    if (!picture.setTimes(id, row) && isWaiting(row)) {
      const rows = await accountsOfPayments(this.#db, this.#chain, [id]);
      // Newer ones come with the next look.
      picture.add(rows.filter((each) => each.id <= picture.newestId));
    }
  }

  async #readHeld(picture: Picture, id: number): Promise<void> {
    if (picture.has(id)) picture.setHeld(id, await heldBy(this.#db, { id }));
  }
}

function accountsOf(entries: readonly Entry[], isAwaited: boolean): OpenAccount[] {
  return entries.map((entry) => {
    if (entry.account.isAwaited !== isAwaited) entry.account = { ...entry.account, isAwaited };
    return entry.account;
  });
}
