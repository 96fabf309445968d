import type { RecurringInterval } from '../catalog.ts';
import { ROUGH_MS, approximatePeriodStart } from './periods.ts';
import { hasNextPeriod, invoiceTime } from './subscription-machine.ts';
import type { SubscriptionState } from './types.ts';

/** What a month is of each interval, in 84ths: a year has 365 days, and a month is a twelfth of it. */
const SHARES = {
  daily: 2555n,
  weekly: 365n,
  monthly: 84n,
  quarterly: 28n,
  yearly: 7n,
} as const satisfies Record<RecurringInterval, bigint>;
const WHOLE = 84n;
const DAY_MS = 86_400_000;

/** Prices of periods, summed without rounding. */
export class MonthlyRevenue {
  #shares = 0n;

  add(minor: bigint, interval: RecurringInterval): void {
    this.#shares += minor * SHARES[interval];
  }

  /** Minor units, rounded down once. */
  get minor(): bigint {
    return this.#shares / WHOLE;
  }
}

/** Whether its price recurs: the customer has paid once, and no end is decided. */
export function isRecurring({
  status,
  paidUntil,
  cancelAtPeriodEnd,
}: Pick<SubscriptionState, 'status' | 'paidUntil' | 'cancelAtPeriodEnd'>): boolean {
  return (status === 'active' || status === 'past_due') && paidUntil !== null && !cancelAtPeriodEnd;
}

/** How many invoices will be made before a moment if each one is paid in time, with those that are overdue. */
export function countUpcoming(state: SubscriptionState, leadDays: number, before: number): number {
  let count = 0;
  while (
    hasNextPeriod(state) &&
    isInvoicedBefore({ ...state, nextN: state.nextN + count }, leadDays, before)
  ) {
    count += 1;
  }
  return count;
}

/** Asks the calendar of the zone only where a rough count is too close. */
function isInvoicedBefore(state: SubscriptionState, leadDays: number, before: number): boolean {
  const { schedule, nextN } = state;
  const lead = approximatePeriodStart(schedule, nextN) - leadDays * DAY_MS;
  const rough = Math.max(lead, approximatePeriodStart(schedule, nextN - 1));
  if (Math.abs(rough - before) > ROUGH_MS) return rough < before;
  return invoiceTime(schedule, nextN, leadDays) < before;
}
