import { Calendar } from '../../domain/calendar.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { MovementKind } from '../../domain/movements.ts';
import {
  closeBooks,
  newestMovement,
  pageOfMovements,
  type ListedMovement,
} from '../../store/ledger/movements.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { fiatAmount } from './fiat-amount.ts';

/** Lines per page. */
const PAGE = 500;

export interface ExportRequest {
  readonly merchantId: string;
  readonly mode: Mode;
  /** The first moment of the range; undefined: no lower bound. */
  readonly fromMs: number | undefined;
  /** The first moment after the range; undefined: no upper bound. */
  readonly beforeMs: number | undefined;
  /** The calendar in which times are written. */
  readonly calendar: Calendar;
}

/** One movement of confirmed money, as the export shows it. */
export interface MovementView {
  readonly at: string;
  readonly kind: MovementKind;
  readonly paymentId: string | null;
  readonly orderId: string | null;
  readonly sendId: string | null;
  readonly coin: Coin;
  /** Signed: incoming money is positive. */
  readonly amount: string;
  readonly currency: string | null;
  readonly rate: string | null;
  readonly fiatAmount: string | null;
  readonly txHash: string;
  readonly address: string | null;
  readonly note: string | null;
  readonly orderLabel: string | null;
  readonly paymentNote: string | null;
  readonly receiptNumber: string | null;
  readonly tip: string | null;
}

/**
 * The lines of a merchant's books in a time range, oldest first, one page at a time. Each page is a separate
 * read, so that a slow reader blocks nothing. Lines never change, and lines written after the start are left
 * out: the result is the state at the start, with each line once.
 */
export async function* exportMovements(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { merchantId, mode, fromMs = 0, beforeMs = Number.MAX_SAFE_INTEGER, calendar }: ExportRequest,
): AsyncGenerator<readonly MovementView[], void> {
  // Reading a past range closes it: it returns the same lines again, even if the clock is set back.
  if (beforeMs <= clock.now()) await db.transaction((tx) => closeBooks(tx, merchantId, beforeMs));
  const upToSeq = await newestMovement(db);
  let after = { afterMs: fromMs, afterSeq: 0 };
  for (;;) {
    const range = { merchantId, mode, beforeMs, upToSeq };
    const lines = await pageOfMovements(db, { ...range, ...after, limit: PAGE });
    const last = lines.at(-1);
    if (last === undefined) return;
    yield lines.map((line) => view(line, calendar));
    after = { afterMs: last.at, afterSeq: last.seq };
  }
}

function view(line: ListedMovement, calendar: Calendar): MovementView {
  const { coin, kind, currency, rate } = line;
  const amount = BigInt(line.amount);
  return {
    at: calendar.timeAt(line.at),
    kind,
    paymentId: line.paymentId,
    orderId: line.orderId,
    sendId: line.sendId,
    coin,
    amount: formatCoinAmount(amount, coin),
    currency,
    rate,
    fiatAmount: fiatAmount(amount, coin, { currency, rate }),
    txHash: line.txid,
    address: line.address,
    note: line.note,
    orderLabel: line.orderLabel,
    paymentNote: line.paymentNote,
    receiptNumber: line.receiptNumber,
    tip: line.tip,
  };
}
