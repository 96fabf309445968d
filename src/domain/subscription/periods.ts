import { Calendar } from '../calendar.ts';
import type { RecurringInterval } from '../catalog.ts';

/**
 * The calendar of a subscription: period n is [anchor + n, anchor + n + 1), counted in a time zone from the
 * period that begins at the anchor.
 */
export interface Schedule {
  /** Whole seconds, in ms. */
  readonly anchorAt: number;
  /** The number of the period that begins at the anchor. */
  readonly anchorN: number;
  readonly interval: RecurringInterval;
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
const DAYS: Readonly<Partial<Record<RecurringInterval, number>>> = { daily: 1, weekly: 7 };
const MONTHS: Readonly<Partial<Record<RecurringInterval, number>>> = { monthly: 1, quarterly: 3, yearly: 12 };

/** Building a calendar takes longer than using it; there are a few hundred time zones. */
const calendars = new Map<string, Calendar>();

function findCalendar(timeZone: string): Calendar {
  const known = calendars.get(timeZone) ?? new Calendar(timeZone);
  calendars.set(timeZone, known);
  return known;
}

/** The start of period n, which is the end of period n - 1. */
export function periodStart({ anchorAt, anchorN, interval, timeZone }: Schedule, n: number): number {
  if (n === anchorN) return anchorAt;
  const calendar = findCalendar(timeZone);
  const wall = calendar.wallTimeAt(anchorAt);
  const days = DAYS[interval];
  const steps = n - anchorN;
  if (days !== undefined) return calendar.atWallTime(wall + steps * days * DAY_MS);
  return calendar.atWallTime(addMonths(wall, steps * (MONTHS[interval] ?? 0)));
}

/** How far `approximatePeriodStart` may be off: a day by the zone, and the days that months differ in. */
export const ROUGH_MS = 4 * DAY_MS;

/** As `periodStart`, but counted in UTC, which takes a hundredth of the time. */
export function approximatePeriodStart({ anchorAt, anchorN, interval }: Schedule, n: number): number {
  const days = DAYS[interval];
  const steps = n - anchorN;
  if (days !== undefined) return anchorAt + steps * days * DAY_MS;
  return addMonths(anchorAt, steps * (MONTHS[interval] ?? 0));
}

/** The same wall time some calendar days later (earlier, if negative). */
export function addCalendarDays(timeZone: string, atMs: number, days: number): number {
  if (days === 0) return atMs;
  const calendar = findCalendar(timeZone);
  return calendar.atWallTime(calendar.wallTimeAt(atMs) + days * DAY_MS);
}

/** The day of a shorter month is its last one. */
function addMonths(wallMs: number, months: number): number {
  const wall = new Date(wallMs);
  const month = wall.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(
    wall.getUTCFullYear(),
    month,
    Math.min(wall.getUTCDate(), lastDay),
    wall.getUTCHours(),
    wall.getUTCMinutes(),
    wall.getUTCSeconds(),
  );
}
