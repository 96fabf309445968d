import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import type { Db } from './database.ts';
import { prepared, type SlotOf } from './prepared.ts';
import { EMPTY, TextSheet, type SheetMark } from './text-sheet.ts';

/** Of fewer customers the database finds them as soon. */
const WORTHWHILE_CUSTOMERS = 500;
/** What all sheets may take, and how many there may be: a million usual addresses fit. */
const LIMITS = { maxBytes: 32 * 1024 * 1024, maxSheets: 16 };
/** Kept as long as somebody searches. */
const IDLE_MS = 5 * 60_000;
/** Addresses read in one turn of the event loop. */
const PIECE = 1_000;
/** How often a sheet is brought up to date before the database is asked instead. */
const MAX_TRIES = 3;

/** Which of an account's customers are wanted: of those found, counted from the newest. */
export interface CustomerSearch {
  readonly userId: string;
  /** A literal part of the address in its key form. */
  readonly part: string;
  readonly offset: number;
  readonly limit: number;
}

export interface CustomersFound {
  /** Keys of the addresses wanted, in no order. */
  readonly keys: readonly string[];
  /** How many were found in all. */
  readonly total: number;
}

/**
 * Finds customers by a part of their address in memory, exactly as the database would: neither an index
 * of trigrams nor a walk over the table finds both a rare and a frequent part at once. The addresses of
 * an account are read at its first search and dropped when nobody searches. Each search first asks the
 * database whether they are still all there is; what is new is then read, and after a change all.
 */
export class CustomerSheets {
  /** The least recently used account first. */
  readonly #accounts = new Map<string, Account>();
  readonly #limits: typeof LIMITS;
  #idle: NodeJS.Timeout | null = null;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Null where the database must find them itself: few customers, more than fit, or too busy an account. */
  async find(db: Db, search: CustomerSearch): Promise<CustomersFound | null> {
    const { userId } = search;
    const count = (await countsOf(db, userId)).count;
    if (count < WORTHWHILE_CUSTOMERS) return null;
    const account = this.#accounts.get(userId) ?? new Account(userId, this.#limits.maxBytes);
    this.#accounts.delete(userId);
    this.#accounts.set(userId, account);
    const found = await account.find(db, search);
    this.#shrink();
    this.#idle ??= setTimeout(() => this.#accounts.clear(), IDLE_MS).unref();
    this.#idle.refresh();
    return found;
  }

  #shrink(): void {
    const { maxBytes, maxSheets } = this.#limits;
    let bytes = 0;
    for (const account of this.#accounts.values()) bytes += account.bytes;
    for (const [userId, account] of this.#accounts) {
      // The last one fitted when it was read, and would be read again at each search.
      if (this.#accounts.size === 1) return;
      if (bytes <= maxBytes && this.#accounts.size <= maxSheets) return;
      this.#accounts.delete(userId);
      bytes -= account.bytes;
    }
  }
}

/** The addresses of one account, in the order in which its customers came. */
class Account {
  readonly #userId: string;
  readonly #maxBytes: number;
  /** One search after the other: while the sheet is read anew nobody looks at it. */
  readonly #inTurn = pLimit(1);
  #sheet = new TextSheet();
  #edits = -1;
  /** The moment of the newest customers, and where they begin: of that moment more may come. */
  #newest: { readonly at: number; readonly mark: SheetMark } | null = null;
  /** With so many customers it did not fit. */
  #tooMany = Infinity;

  constructor(userId: string, maxBytes: number) {
    [this.#userId, this.#maxBytes] = [userId, maxBytes];
  }

  get bytes(): number {
    return this.#sheet.bytes;
  }

  async find(db: Db, search: CustomerSearch): Promise<CustomersFound | null> {
    return this.#inTurn(async () => {
      for (let tries = 0; ; tries += 1) {
        const { count, edits } = await countsOf(db, this.#userId);
        // Customers only come, as long as none was edited: as many are the same.
        if (edits === this.#edits && count === this.#sheet.size) return this.#look(search);
        if (count >= this.#tooMany || tries === MAX_TRIES) return null;
        // One may also have come as if before others, when the clock was set back.
        const isLast = tries === MAX_TRIES - 1;
        if (edits !== this.#edits || count < this.#sheet.size || isLast) this.#forget(edits);
        if (!(await this.#read(db))) {
          this.#sheet = new TextSheet();
          this.#forget(edits);
          this.#tooMany = count;
        }
      }
    });
  }

  #look({ part, offset, limit }: CustomerSearch): CustomersFound {
    const total = this.#sheet.find(part);
    // The newest are the last.
    const before = total - offset;
    return { keys: before <= 0 ? [] : this.#sheet.found(before - limit, before), total };
  }

  #forget(edits: number): void {
    this.#sheet.cut(EMPTY);
    [this.#edits, this.#newest] = [edits, null];
  }

  /** Reads the customers of the newest moment that is known and all later ones; false when they do not fit. */
  async #read(db: Db): Promise<boolean> {
    if (this.#newest !== null) this.#sheet.cut(this.#newest.mark);
    let after = { userId: this.#userId, at: this.#newest?.at ?? -1, id: '' };
    for (;;) {
      const rows = await cameAfter(db, after);
      for (const { created_at: at, email_key: key } of rows) {
        if (this.#newest?.at !== at) this.#newest = { at, mark: this.#sheet.mark() };
        this.#sheet.append(key);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PIECE) return true;
      if (this.#sheet.bytes > this.#maxBytes) return false;
      after = { ...after, at: last.created_at, id: last.id };
      await setImmediate();
    }
  }
}

/** How many customers there are, and how many changes of other kinds there ever were. */
async function countsOf(db: Db, userId: string): Promise<{ count: number; edits: number }> {
  return (await counts(db, { userId }))[0] ?? { count: 0, edits: 0 };
}

const counts = prepared((db, slot: SlotOf<{ userId: string }>) =>
  db.selectFrom('customer_counts').select(['count', 'edits']).where('user_id', '=', slot('userId')),
);

const cameAfter = prepared((db, slot: SlotOf<{ userId: string; at: number; id: string }>) =>
  db
    .selectFrom('customers')
    .select(['created_at', 'id', 'email_key'])
    .where('user_id', '=', slot('userId'))
    .where(sql<boolean>`(created_at, id) > (${slot('at')}, ${slot('id')})`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(PIECE),
);
