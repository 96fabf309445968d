import { periodStart, type Schedule } from './periods.ts';
import { takePlace, type ProratedPeriod } from './proration.ts';
import type { InvoiceStatus } from './types.ts';

interface Period extends ProratedPeriod {
  readonly n: number;
  readonly status: InvoiceStatus;
  /** Balance that it has used up. */
  readonly applied: bigint;
  /** Of its price, what changes of the price have made credit of; negative: a debt. */
  readonly prorated: bigint;
}

export interface Reclaim<Invoice> {
  /** Invoices whose credit and money return to the balance. */
  readonly reclaimed: readonly Invoice[];
  /** Invoices that take the periods of those, oldest first. */
  readonly moved: readonly Invoice[];
  /** The next invoice is for the first period that is free now. */
  readonly schedule: Schedule;
}

/**
 * Takes back periods that credit paid, when the money of that credit is gone: the latest first, and none that is over.
 * Later periods that other money pays move forward, so that what is left counts without a gap, and the others are
 * invoiced again when they are due.
 * @param invoices of the subscription, in any order
 * @param at the moment, or that of its pause
 * @param missing credit that was used and is gone, in minor units
 */
export function reclaimPeriods<Invoice extends Period>(
  invoices: readonly Invoice[],
  { schedule, nextN }: { readonly schedule: Schedule; readonly nextN: number },
  { at, missing }: { readonly at: number; readonly missing: bigint },
): Reclaim<Invoice> {
  const reclaimed = chooseReclaimed(invoices, at, missing);
  const first = reclaimed.at(-1);
  if (first === undefined) return { reclaimed, moved: [], schedule };
  const taken = new Set(reclaimed.map(({ n }) => n));
  const rest = invoices
    .filter(({ n, status }) => n > first.n && status !== 'void' && !taken.has(n))
    .toSorted((one, two) => one.n - two.n);
  const place = findPlace(schedule, nextN, first);
  if (place !== null) {
    const start = (steps: number): number => periodStart(schedule, place + steps);
    const moved = rest.map((one, index) => ({
      ...(index === 0 && one.status === 'paid' ? takePlace(one, first) : one),
      periodStart: start(index),
      periodEnd: start(index + 1),
    }));
    return {
      reclaimed,
      moved,
      schedule: { ...schedule, anchorN: schedule.anchorN + nextN - place - rest.length },
    };
  }
  // Its interval or its days have changed since: no other invoice fits into its period.
  if (rest.length > 0) return { reclaimed, moved: [], schedule };
  return { reclaimed, moved: [], schedule: { ...schedule, anchorAt: first.periodStart, anchorN: nextN } };
}

/** The place of a period in the calendar, which differs from its number once periods have moved; null: none. */
function findPlace(schedule: Schedule, nextN: number, { periodStart: at }: Period): number | null {
  for (let place = schedule.anchorN; place <= nextN; place += 1) {
    const start = periodStart(schedule, place);
    if (start >= at) return start === at ? place : null;
  }
  return null;
}

function chooseReclaimed<Invoice extends Period>(
  invoices: readonly Invoice[],
  at: number,
  missing: bigint,
): Invoice[] {
  const candidates = invoices
    .filter(({ status, applied, periodEnd }) => status === 'paid' && applied > 0n && periodEnd > at)
    .toSorted((one, two) => two.n - one.n);
  const chosen: Invoice[] = [];
  let rest = missing;
  for (const one of candidates) {
    if (rest <= 0n) break;
    chosen.push(one);
    // Its money becomes credit, too.
    rest -= one.price - one.prorated;
  }
  return chosen;
}
