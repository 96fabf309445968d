import { addDays, Calendar } from '../../domain/calendar.ts';
import { AppError } from '../../domain/errors.ts';
import { formatUnits } from '../../domain/money.ts';
import { PRICE_DECIMALS } from '../../store/ledger/volume-totals.ts';
import { findCounter } from '../../store/merchants/counters.ts';
import {
  listCounterPayments,
  sumCounterPayments,
  type CounterPaymentRow,
} from '../../store/payments/counter-payments.ts';
import type { CounterRow } from '../../store/schema/counters.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { merchantMode } from '../access/index.ts';
import type { CounterDeps } from './counter-deps.ts';
import { listFavourites, type Favourite } from './favourites.ts';

/** Payments of a day that a device lists; all of them are in the total. */
const LISTED_MAX = 100;

export interface CounterDay {
  readonly counter: CounterRow;
  readonly favourites: readonly Favourite[];
  /** In the zone of the shop, such as `2026-01-31`. */
  readonly day: string;
  readonly timeZone: string;
  /** Completed payments that the counter charged on the day: decimal strings in its currency. */
  readonly total: { readonly count: number; readonly amount: string; readonly tips: string };
  /** The newest, newest first. */
  readonly payments: readonly CounterPaymentRow[];
}

/** The settings of a counter, and what it charged on the current day of the shop. */
export async function readCounterDay(
  { db, clock }: CounterDeps,
  { merchant, counterId }: { readonly merchant: MerchantRow; readonly counterId: string },
): Promise<CounterDay> {
  const counter = await findCounter(db, counterId);
  if (counter === undefined) throw new AppError('COUNTER_NOT_FOUND', 'No such counter');
  const timeZone = merchant.timeZone ?? 'UTC';
  const calendar = new Calendar(timeZone);
  const day = calendar.dayAt(clock.now());
  const range = {
    counterId,
    mode: merchantMode(merchant),
    fromMs: calendar.startOf(day),
    beforeMs: calendar.startOf(addDays(day, 1)),
  };
  const sums = await sumCounterPayments(db, range);
  const sum = sums.find(({ currency }) => currency === counter.currency);
  return {
    counter,
    favourites: await listFavourites(db, merchant.userId, counter),
    day,
    timeZone,
    total: {
      count: sum?.count ?? 0,
      amount: formatUnits(sum?.amount ?? 0n, PRICE_DECIMALS),
      tips: formatUnits(sum?.tips ?? 0n, PRICE_DECIMALS),
    },
    payments: await listCounterPayments(db, range, LISTED_MAX),
  };
}
