import type { Holding, OpenAccount } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import {
  type AccountRow,
  accountsAfter,
  heldBy,
  newestAccounts,
  newestAddressOf,
  ownAccounts,
  paymentTimes,
} from './account-rows.ts';
import type { ChangeNotes } from './change-watch.ts';
import type { Db } from './database.ts';
import { changeWatchOf } from './runners.ts';

/** Addresses read in one go: half a millisecond, so that a node is asked about some while the next are read. */
const PAGE = 500;
/** More new addresses than this since the last look, and everything is read anew. */
const MAX_NEW = 2_000;
const WAITING: ReadonlySet<string> = new Set(['pending', 'underpaid', 'confirming']);

/** What decides whether a payment's addresses are open. */
interface PaymentTimes {
  isWaiting: boolean;
  expiresAt: number;
  addresses: number;
}

/** An address with what the ledger says about it; without a payment it is a merchant's own. */
interface Entry {
  readonly id: number;
  readonly paymentId: string | null;
  readonly payment: PaymentTimes | null;
  account: OpenAccount;
}

/** What was read of a chain's accounts. */
class Picture {
  readonly own: Entry[] = [];
  /** By id, ascending. */
  paid: Entry[] = [];
  readonly byAddress = new Map<number, Entry>();
  readonly payments = new Map<string, PaymentTimes>();
  newestId = 0;

  /** @param rows those of one account in a row */
  entriesOf(rows: readonly AccountRow[]): Entry[] {
    const entries: Entry[] = [];
    for (let at = 0; at < rows.length;) {
      const row = rows[at];
      if (row === undefined) break;
      let end = at + 1;
      while (rows[end]?.id === row.id) end += 1;
      entries.push(this.#entry(row, row.txid === null ? NOTHING : holdingsOf(rows.slice(at, end))));
      at = end;
    }
    return entries;
  }

  #entry(row: AccountRow, held: readonly Holding[]): Entry {
    const { id, payment_id: paymentId } = row;
    const payment = paymentId === null ? null : this.#payment(paymentId, row);
    const isAwaited = payment?.isWaiting ?? true;
    const account = { watchKey: row.watch_key, since: row.created_at, held, isAwaited };
    const entry = { id, paymentId, payment, account };
    this.byAddress.set(id, entry);
    return entry;
  }

  #payment(id: string, row: AccountRow): PaymentTimes {
    let times = this.payments.get(id);
    if (times === undefined)
      this.payments.set(id, (times = { isWaiting: false, expiresAt: 0, addresses: 0 }));
    times.isWaiting = WAITING.has(row.status ?? '');
    times.expiresAt = row.expires_at ?? 0;
    times.addresses += 1;
    return times;
  }

  forget({ id, paymentId, payment }: Entry): void {
    this.byAddress.delete(id);
    if (payment === null || paymentId === null) return;
    payment.addresses -= 1;
    if (payment.addresses === 0) this.payments.delete(paymentId);
  }
}

/**
 * Accounts that may be paid at any moment, with what the ledger says that each holds: the merchants' own, and
 * of the newest `limit` addresses those of payments that still wait for money or whose time was up only lately.
 * They are read once and kept; each look reads again what was written since, and all of it whenever it
 * is not known what that was.
 */
export class OpenAccounts {
  readonly #db: Db;
  readonly #chain: ChainId;
  readonly #limit: number;
  #kept: { readonly picture: Picture; readonly version: unknown } | null = null;
  /** Of what was written since the last look, once there is anything to keep. */
  #notes: ChangeNotes | null = null;
  #loads = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(db: Db, { coin, mode }: ChainId, limit: number) {
    this.#db = db;
    this.#chain = { coin, mode };
    this.#limit = limit;
  }

  /**
   * Those that are open now, each once, in lists; what is given out later is not among them.
   * @param closedAfterMs a payment that waits no more counts until this long after its time was up
   */
  async *look(closedAfterMs: number): AsyncGenerator<readonly OpenAccount[], void> {
    const looking = this.#last.then(async () => this.#caughtUp());
    this.#last = looking.catch(() => undefined);
    const picture = await looking;
    if (picture === null) {
      yield* this.#load(closedAfterMs);
      return;
    }
    yield openOf(picture.own, closedAfterMs);
    yield openOf(picture.paid.toReversed(), closedAfterMs);
  }

  /** Reads everything, and keeps it when nothing can have been missed meanwhile. */
  async *#load(closedAfterMs: number): AsyncGenerator<readonly OpenAccount[], void> {
    const watch = changeWatchOf(this.#db);
    const version = watch?.foreignVersion();
    this.#kept = null;
    this.#loads += 1;
    const load = this.#loads;
    const mayKeep = watch?.isSettled() === true;
    if (mayKeep) (this.#notes ??= watch.listen())?.clear();
    const picture = new Picture();
    const [newest] = await newestAddressOf(this.#db, this.#chain);
    picture.newestId = newest?.id ?? 0;
    const own = { ...this.#chain, newest: picture.newestId, limit: this.#limit };
    picture.own.push(...picture.entriesOf(await ownAccounts(this.#db, own)));
    yield openOf(picture.own, closedAfterMs);
    let below = picture.newestId + 1;
    for (let left = this.#limit; left > 0; left -= PAGE) {
      const size = Math.min(PAGE, left);
      const page = picture.entriesOf(await newestAccounts(this.#db, { ...this.#chain, below, size }));
      picture.paid.push(...page);
      yield openOf(page, closedAfterMs);
      const last = page.at(-1);
      if (last === undefined || page.length < size) break;
      below = last.id;
    }
    picture.paid.reverse();
    // Only the load that began last knows that no note was cleared since.
    if (mayKeep && load === this.#loads) this.#kept = { picture, version };
  }

  /** What is kept, as of now; null when everything has to be read. */
  async #caughtUp(): Promise<Picture | null> {
    const watch = changeWatchOf(this.#db);
    const [kept, notes] = [this.#kept, this.#notes];
    if (kept === null || notes === null || watch === null) return null;
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
    const entries = picture.entriesOf(rows).toReversed();
    if (entries.length >= MAX_NEW) return false;
    for (const entry of entries) {
      (entry.payment === null ? picture.own : picture.paid).push(entry);
      picture.newestId = entry.id;
    }
    const excess = picture.paid.length - this.#limit;
    if (excess > 0) for (const entry of picture.paid.splice(0, excess)) picture.forget(entry);
    return true;
  }

  async #readTimes(picture: Picture, id: string): Promise<void> {
    const times = picture.payments.get(id);
    if (times === undefined) return;
    const [row] = await paymentTimes(this.#db, { id });
    times.isWaiting = WAITING.has(row?.status ?? '');
    times.expiresAt = row?.expires_at ?? 0;
  }

  async #readHeld(picture: Picture, id: number): Promise<void> {
    const entry = picture.byAddress.get(id);
    if (entry === undefined) return;
    entry.account = { ...entry.account, held: holdingsOf(await heldBy(this.#db, { id })) };
  }
}

function openOf(entries: readonly Entry[], closedAfterMs: number): OpenAccount[] {
  const open: OpenAccount[] = [];
  for (const entry of entries) {
    const { payment } = entry;
    const isAwaited = payment?.isWaiting ?? true;
    if (!isAwaited && (payment?.expiresAt ?? 0) <= closedAfterMs) continue;
    if (entry.account.isAwaited !== isAwaited) entry.account = { ...entry.account, isAwaited };
    open.push(entry.account);
  }
  return open;
}

const NOTHING: readonly Holding[] = [];

/** In the order in which the ledger counts on them, as `holdings` has them. */
function holdingsOf(
  rows: readonly Pick<AccountRow, 'txid' | 'vout' | 'amount' | 'height'>[],
): readonly Holding[] {
  const parts = rows.map(({ height, txid, vout, amount }) => ({
    height: height ?? 0,
    ref: { txid: txid ?? '', index: vout ?? 0 },
    amount: BigInt(amount ?? 0),
  }));
  parts.sort((a, b) => a.height - b.height || compare(a.ref.txid, b.ref.txid) || a.ref.index - b.ref.index);
  return parts.length === 0 ? NOTHING : parts.map(({ ref, amount }) => ({ ref, amount }));
}

/** As SQLite compares: by bytes, which for ids of transactions is by UTF-16 units, too. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
