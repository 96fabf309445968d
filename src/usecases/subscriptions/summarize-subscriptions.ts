import { setImmediate } from 'node:timers/promises';
import { addDays, Calendar } from '../../domain/calendar.ts';
import type { Mode } from '../../domain/coins.ts';
import { formatFiat } from '../../domain/fiat.ts';
import { countUpcoming, isRecurring, MonthlyRevenue } from '../../domain/subscription/recurring-revenue.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import {
  listRunning,
  sumChurn,
  sumRevenue,
  type RunningSubscription,
} from '../../store/subscriptions/figures.ts';
import { periodPrice } from '../invoices/index.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/** Days for which the next invoices are counted. */
const UPCOMING_DAYS = 30;
const DAY_MS = 86_400_000;
/** Subscriptions between two turns of the event loop: some milliseconds. */
const AT_ONCE = 50;

interface SummaryRequest {
  readonly merchant: MerchantRow;
  readonly mode: Mode;
  /** Number of months, the current one included. */
  readonly months: number;
}

/**
 * The figures of a shop's subscriptions: each sum by currency, months in the shop's time zone. The history is summed
 * in the read thread, and what is to come in small parts, so that many subscriptions do not block other work.
 */
export async function summarizeSubscriptions(
  { db, clock }: Pick<SubscriptionDeps, 'db' | 'clock'>,
  { merchant, mode, months: count }: SummaryRequest,
) {
  const shop = { merchantId: merchant.id, mode };
  const now = clock.now();
  const calendar = new Calendar(merchant.timeZone ?? 'UTC');
  const months = listMonths(calendar.dayAt(now), count);
  const bounds = [...months, nextMonth(months.at(-1) ?? '')].map((month) => calendar.startOf(`${month}-01`));
  const revenue = await sumRevenue(db, shop, bounds);
  const churn = await sumChurn(db, shop, bounds);
  const until = now + UPCOMING_DAYS * DAY_MS;
  const running = await sumRunning(db, shop, { leadDays: merchant.invoiceLeadDays, until });
  return {
    mode,
    timeZone: calendar.timeZone,
    ...running,
    months: months.map((month, at) => ({
      month,
      activeAtStart: churn[at]?.active ?? 0,
      lost: churn[at]?.lost ?? 0,
      revenue: revenue
        .filter((one) => one.month === at)
        .map(({ currency, invoices, due, credit }) => ({
          currency,
          invoices,
          amount: formatFiat({ minor: due, currency }),
          creditApplied: formatFiat({ minor: credit, currency }),
        })),
    })),
  };
}

/** The month of a day and those before it, `2026-01`, oldest first. */
function listMonths(today: string, count: number): string[] {
  const months = [today.slice(0, -3)];
  while (months.length < count) months.unshift(addDays(`${months[0] ?? ''}-01`, -1).slice(0, -3));
  return months;
}

function nextMonth(month: string): string {
  return addDays(`${month}-28`, 4).slice(0, -3);
}

interface Sums {
  readonly recurring: MonthlyRevenue;
  subscriptions: number;
  upcoming: bigint;
  invoices: number;
}

async function sumRunning(
  db: Db,
  shop: { readonly merchantId: string; readonly mode: Mode },
  range: { readonly leadDays: number; readonly until: number },
) {
  const sums = new Map<string, Sums>();
  let after: RunningSubscription | null = null;
  for (;;) {
    const rows: RunningSubscription[] = await listRunning(db, shop, { after, limit: AT_ONCE });
    for (const row of rows) addRunning(sums, row, range);
    after = rows.at(-1) ?? null;
    if (rows.length < AT_ONCE) break;
    await setImmediate();
  }
  const byCurrency = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    monthlyRecurringRevenue: byCurrency
      .filter(([, { subscriptions }]) => subscriptions > 0)
      .map(([currency, { recurring, subscriptions }]) => ({
        currency,
        amount: formatFiat({ minor: recurring.minor, currency }),
        subscriptions,
      })),
    upcoming: byCurrency
      .filter(([, { invoices }]) => invoices > 0)
      .map(([currency, { upcoming, invoices }]) => ({
        currency,
        amount: formatFiat({ minor: upcoming, currency }),
        invoices,
      })),
  };
}

function addRunning(
  sums: Map<string, Sums>,
  row: RunningSubscription,
  { leadDays, until }: { readonly leadDays: number; readonly until: number },
): void {
  const { currency } = row;
  const had = sums.get(currency);
  const sum = had ?? { recurring: new MonthlyRevenue(), subscriptions: 0, upcoming: 0n, invoices: 0 };
  if (had === undefined) sums.set(currency, sum);
  const price = periodPrice(row);
  if (isRecurring(row)) {
    sum.recurring.add(price, row.interval);
    sum.subscriptions += 1;
  }
  const count = countUpcoming(toState(row), leadDays, until);
  sum.upcoming += price * BigInt(count);
  sum.invoices += count;
}

/** What decides about the next invoices. */
function toState({ anchorAt, anchorN, interval, timeZone, ...row }: RunningSubscription) {
  return {
    ...row,
    schedule: { anchorAt, anchorN, interval, timeZone },
    laterRuns: [],
    hasGrace: true,
    graceDays: 0,
    openPayBy: null,
    cancelledBy: null,
    pausedAt: null,
    pausedBy: null,
    trialEndingSent: true,
    endedAt: null,
  };
}
