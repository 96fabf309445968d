import type { Holding, OpenAccount } from '../../domain/chain.ts';
import { type AccountRow, isWaiting } from './account-rows.ts';
import { foreign } from './address-index.ts';

/** What decides whether a payment's accounts are polled. */
interface PaymentTimes {
  isWaiting: boolean;
  expiresAt: number;
  readonly entries: CachedAccount[];
}

/** An address with its balance in the ledger; without a payment it is a merchant's own. */
export interface CachedAccount {
  readonly id: number;
  readonly paymentId: string | null;
  readonly payment: PaymentTimes | null;
  account: OpenAccount;
}

/**
 * Cache of a chain's accounts: the merchants' own, the newest ones of payments, and all older ones whose
 * payments still wait for money.
 */
export class AccountCache {
  readonly own: CachedAccount[] = [];
  /** The newest accounts of payments, by ascending id. */
  readonly newest: CachedAccount[] = [];
  newestId = 0;
  readonly #limit: number;
  readonly #byAddress = new Map<number, CachedAccount>();
  readonly #payments = new Map<string, PaymentTimes>();
  #awaited: readonly CachedAccount[] | null = null;

  /** @param limit how many of the newest accounts are kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Accounts of payments that wait for money, earliest expiry first. */
  get awaited(): readonly CachedAccount[] {
    this.#awaited ??= [...this.#byAddress.values()]
      .filter(({ payment }) => payment?.isWaiting === true)
      .toSorted(byExpiry);
    return this.#awaited;
  }

  /** Adds accounts that are not cached yet. @param rows the rows of one account are adjacent */
  add(rows: readonly AccountRow[]): CachedAccount[] {
    const entries: CachedAccount[] = [];
    for (let at = 0; at < rows.length;) {
      const row = rows[at];
      if (row === undefined) break;
      let end = at + 1;
      while (rows[end]?.id === row.id) end += 1;
      if (!this.#byAddress.has(row.id)) entries.push(this.#entry(row, toHoldings(rows.slice(at, end))));
      at = end;
    }
    return entries;
  }

  /** @param entries newer than all cached ones, by ascending id */
  addNewest(entries: readonly CachedAccount[]): void {
    for (const entry of entries) {
      (entry.payment === null ? this.own : this.newest).push(entry);
      this.newestId = entry.id;
    }
    const excess = this.newest.length - this.#limit;
    if (excess <= 0) return;
    for (const entry of this.newest.splice(0, excess))
      if (entry.payment?.isWaiting !== true) this.#forget(entry);
  }

  /** False when the payment has no account in the cache. */
  setTimes(
    paymentId: string,
    row: Pick<AccountRow, 'status' | 'closedAt' | 'expiresAt'> | undefined,
  ): boolean {
    const times = this.#payments.get(paymentId);
    if (times === undefined) return false;
    times.isWaiting = isWaiting(row);
    times.expiresAt = row?.expiresAt ?? 0;
    this.#awaited = null;
    if (times.isWaiting) return true;
    const oldest = this.newest[0]?.id ?? 0;
    for (const entry of times.entries.filter(({ id }) => id < oldest)) this.#forget(entry);
    return true;
  }

  setHeld(addressId: number, rows: readonly HeldRow[]): void {
    const entry = this.#byAddress.get(addressId);
    if (entry !== undefined) entry.account = { ...entry.account, holdings: toHoldings(rows) };
  }

  has(addressId: number): boolean {
    return this.#byAddress.has(addressId);
  }

  #entry(row: AccountRow, holdings: readonly Holding[]): CachedAccount {
    const { id, paymentId } = row;
    const payment = paymentId === null ? null : this.#payment(paymentId, row);
    const isAwaited = payment?.isWaiting ?? true;
    const key = { watchKey: row.watchKey, since: row.createdAt, ...foreign(row.idx) };
    const account = { ...key, holdings, isAwaited };
    const entry = { id, paymentId, payment, account };
    this.#byAddress.set(id, entry);
    payment?.entries.push(entry);
    this.#awaited = null;
    return entry;
  }

  #payment(id: string, row: AccountRow): PaymentTimes {
    let times = this.#payments.get(id);
    if (times === undefined)
      this.#payments.set(id, (times = { isWaiting: false, expiresAt: 0, entries: [] }));
    times.isWaiting = isWaiting(row);
    times.expiresAt = row.expiresAt ?? 0;
    return times;
  }

  #forget(entry: CachedAccount): void {
    const { id, paymentId, payment } = entry;
    this.#byAddress.delete(id);
    this.#awaited = null;
    if (payment === null || paymentId === null) return;
    payment.entries.splice(payment.entries.indexOf(entry), 1);
    if (payment.entries.length === 0) this.#payments.delete(paymentId);
  }
}

/** Same order as in SQL: by expiry time and id of their payments. */
function byExpiry(a: CachedAccount, b: CachedAccount): number {
  const sooner = (a.payment?.expiresAt ?? 0) - (b.payment?.expiresAt ?? 0);
  return sooner || compare(a.paymentId ?? '', b.paymentId ?? '') || a.id - b.id;
}

type HeldRow = Pick<AccountRow, 'txid' | 'vout' | 'amount' | 'height'>;
const NOTHING: readonly Holding[] = [];

/** In the same order as the `holdings` queries. */
function toHoldings(rows: readonly HeldRow[]): readonly Holding[] {
  if ((rows[0]?.txid ?? null) === null) return NOTHING;
  const parts = rows.map(({ height, txid, vout, amount }) => ({
    height: height ?? 0,
    ref: { txid: txid ?? '', index: vout ?? 0 },
    amount: BigInt(amount ?? 0),
  }));
  parts.sort((a, b) => a.height - b.height || compare(a.ref.txid, b.ref.txid) || a.ref.index - b.ref.index);
  return parts.map(({ ref, amount }) => ({ ref, amount }));
}

/** Same order as in SQLite: by bytes, which for transaction ids equals UTF-16 order. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
