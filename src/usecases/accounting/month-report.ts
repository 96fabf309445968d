import { setImmediate } from 'node:timers/promises';
import { addMonths, type Calendar } from '../../domain/calendar.ts';
import { COINS, type Coin, type Mode } from '../../domain/coins.ts';
import { assertNever, invalidField } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { compareRates } from '../../domain/price.ts';
import { pageOfMonthLines, sumMovementsBefore, type MonthLine } from '../../store/ledger/month-lines.ts';
import { closeBooks, newestMovement } from '../../store/ledger/movements.ts';
import { receiptBounds, sumReceipts, type ReceiptSum } from '../../store/payments/receipts.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { fiatMinor } from './fiat-amount.ts';

/** Lines per step: some milliseconds of the event loop, whatever the size of the month. */
const PAGE = 500;

/** `deposit`: money that was received for no payment. */
export const MONTH_KINDS = ['payment', 'deposit', 'refund', 'send', 'sweep', 'fee'] as const;
export type MonthKind = (typeof MONTH_KINDS)[number];

export interface MonthRequest {
  readonly merchantId: string;
  readonly mode: Mode;
  /** Such as `2026-01`; undefined: the one before the current month. */
  readonly month: string | undefined;
  /** The calendar whose month it is. */
  readonly calendar: Calendar;
}

/** All lines of one kind, coin and currency, less their reversals. */
export interface MonthTotal {
  readonly kind: MonthKind;
  readonly coin: Coin;
  readonly currency: string | null;
  /** Lines less reversals: negative if more lines of earlier months were reversed. */
  readonly count: number;
  /** Signed atoms: incoming money is positive. */
  readonly amount: bigint;
  /** The sum of the values of the lines, each at its own rate, in minor units. */
  readonly minor: bigint;
  /** Signed atoms of the lines for which no rate is known: they are not in `minor`. */
  readonly unpriced: bigint;
}

/** opening + incoming − outgoing − fees = closing, in atoms. */
export interface CoinBalance {
  readonly coin: Coin;
  readonly opening: bigint;
  readonly incoming: bigint;
  readonly outgoing: bigint;
  readonly fees: bigint;
  readonly closing: bigint;
}

/** The rates at which the lines of a month are valued. */
export interface MonthRate {
  readonly coin: Coin;
  readonly currency: string;
  readonly lowest: string;
  readonly highest: string;
  /** Names of the price sources of the month's payments, sorted. */
  readonly sources: readonly string[];
}

/** The receipts issued in a month. */
export interface MonthReceipts {
  /** Their first and last number as printed; null without any. */
  readonly bounds: { readonly first: string; readonly last: string } | null;
  readonly sums: readonly ReceiptSum[];
}

export interface MonthReport {
  readonly month: string;
  readonly mode: Mode;
  readonly timeZone: string;
  readonly fromMs: number;
  readonly beforeMs: number;
  /** Whether the month has ended: its figures never change again. */
  readonly isFinal: boolean;
  readonly totals: readonly MonthTotal[];
  /** Every coin. */
  readonly balances: readonly CoinBalance[];
  readonly rates: readonly MonthRate[];
  readonly receipts: MonthReceipts;
}

/**
 * The books of a month, added up. A month that has ended is closed, so that its report is always the same.
 * @throws {AppError} VALIDATION_INVALID naming `month` for a month that has not begun
 */
export async function monthReport(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { merchantId, mode, calendar, ...request }: MonthRequest,
): Promise<MonthReport> {
  const now = clock.now();
  const month = request.month ?? addMonths(calendar.dayAt(now).slice(0, -3), -1);
  const { fromMs, beforeMs } = calendar.monthRange(month);
  if (fromMs > now) throw invalidField('month', 'must not be in the future');
  const isFinal = beforeMs <= now;
  if (isFinal) await db.transaction((tx) => closeBooks(tx, merchantId, beforeMs));
  const upToSeq = await newestMovement(db);
  const reader = db.readThread;
  const range = { merchantId, mode, upToSeq };
  const opening = await sumMovementsBefore(reader, { ...range, beforeMs: fromMs });
  const sums = new MonthSums();
  let after = { afterMs: fromMs, afterSeq: 0 };
  for (;;) {
    const lines = await pageOfMonthLines(reader, { ...range, ...after, beforeMs, limit: PAGE });
    const last = lines.at(-1);
    if (last === undefined) break;
    for (const line of lines) sums.add(line);
    after = { afterMs: last.at, afterSeq: last.seq };
    await setImmediate();
  }
  const totals = sums.totals();
  const issued = { merchantId, mode, fromMs, beforeMs };
  return {
    month,
    mode,
    timeZone: calendar.timeZone,
    fromMs,
    beforeMs,
    isFinal,
    totals,
    balances: COINS.map((coin) => balance(coin, opening.get(coin) ?? 0n, totals)),
    rates: sums.rates(),
    receipts: { bounds: await receiptBounds(reader, issued), sums: await sumReceipts(reader, issued) },
  };
}

type Growing<T> = { -readonly [K in keyof T]: T[K] };

class MonthSums {
  readonly #totals = new Map<string, Growing<MonthTotal>>();
  readonly #rates = new Map<string, Growing<Omit<MonthRate, 'sources'>> & { sources: Set<string> }>();

  add(line: MonthLine): void {
    const { coin, currency, amount } = line;
    const kind = lineKind(line);
    const key = `${MONTH_KINDS.indexOf(kind)} ${COINS.indexOf(coin)} ${currency ?? ''}`;
    const total = this.#totals.get(key) ?? {
      kind,
      coin,
      currency,
      count: 0,
      amount: 0n,
      minor: 0n,
      unpriced: 0n,
    };
    this.#totals.set(key, total);
    const minor = fiatMinor(amount, coin, line);
    total.count += line.isReversal ? -1 : 1;
    total.amount += amount;
    if (minor === null) total.unpriced += amount;
    else total.minor += minor;
    if (currency !== null && line.rate !== null) this.#addRate({ ...line, currency, rate: line.rate });
  }

  #addRate({
    coin,
    currency,
    rate,
    rateSources,
  }: Pick<MonthLine, 'coin' | 'rateSources'> & { readonly currency: string; readonly rate: string }): void {
    const key = `${COINS.indexOf(coin)} ${currency}`;
    const range = this.#rates.get(key) ?? {
      coin,
      currency,
      lowest: rate,
      highest: rate,
      sources: new Set(),
    };
    this.#rates.set(key, range);
    if (compareRates(rate, range.lowest) < 0) range.lowest = rate;
    if (compareRates(rate, range.highest) > 0) range.highest = rate;
    for (const source of rateSources) range.sources.add(source);
  }

  totals(): MonthTotal[] {
    return inOrder(this.#totals).filter(
      ({ count, amount, minor, unpriced }) => count !== 0 || amount !== 0n || minor !== 0n || unpriced !== 0n,
    );
  }

  rates(): MonthRate[] {
    return inOrder(this.#rates).map((range) => ({ ...range, sources: [...range.sources].sort() }));
  }
}

/** By kind, coin and currency: fewer than ten kinds and coins, so that the order of their keys is that of their numbers. */
function inOrder<T>(byKey: ReadonlyMap<string, T>): T[] {
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function lineKind({ kind, hasPayment }: MonthLine): MonthKind {
  if (kind === 'payment') return hasPayment ? kind : 'deposit';
  if (kind === 'reversal') throw new Error('a reversal counts as the line that it reverses');
  return kind;
}

function balance(coin: Coin, opening: bigint, totals: readonly MonthTotal[]): CoinBalance {
  let [incoming, outgoing, fees] = [0n, 0n, 0n];
  for (const { kind, amount } of totals.filter((total) => total.coin === coin)) {
    switch (kind) {
      case 'payment':
      case 'deposit':
        incoming += amount;
        break;
      case 'refund':
      case 'send':
      case 'sweep':
        outgoing -= amount;
        break;
      case 'fee':
        fees -= amount;
        break;
      default:
        assertNever(kind);
    }
  }
  return { coin, opening, incoming, outgoing, fees, closing: opening + incoming - outgoing - fees };
}
