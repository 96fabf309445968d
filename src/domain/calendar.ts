import { isoTime } from './iso-time.ts';

/**
 * Calendar days in a time zone. A day is written `2026-01-31`, from the year 10000 on as ECMAScript does
 * (`+010000-01-01`); its bounds are UTC milliseconds.
 */

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a real day such as `2026-01-31`. */
export function isDay(text: string): boolean {
  if (!ISO_DAY.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** The day `days` after another one (before, if negative). */
export function addDays(day: string, days: number): string {
  return toDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

/** Number of days from `first` to `last`, both included; 0 or less when `last` comes before `first`. */
export function daysFrom(first: string, last: string): number {
  return (Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS + 1;
}

/** Whether a text is a month such as `2026-01`. */
export function isMonth(text: string): boolean {
  return isDay(`${text}-01`);
}

/** The month `months` after another one (before, if negative). */
export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return toDay(Date.UTC(year, number - 1 + months)).slice(0, -3);
}

function toDay(atMs: number): string {
  return new Date(atMs).toISOString().replace(/T.*$/, '');
}

/** The calendar of one IANA time zone, from the year 100 on: formats and `Date.UTC` treat earlier years differently. */
export class Calendar {
  readonly timeZone: string;
  readonly #format: Intl.DateTimeFormat;
  /** Caches the offset of the last quarter of an hour: zones change their clocks only at the start of one. */
  #known = { quarter: Number.NaN, offset: 0 };

  /** @throws {RangeError} when there is no such time zone */
  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  /** The local day at a moment. */
  dayAt(atMs: number): string {
    return toDay(this.wallTimeAt(atMs));
  }

  /**
   * The first moment of a day: not always midnight, because a clock change can skip or repeat it. For a day
   * that the zone skipped, the first moment of the next day.
   */
  startOf(day: string): number {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const before = midnight - this.#offsetAt(midnight - DAY_MS);
    const after = midnight - this.#offsetAt(midnight + DAY_MS);
    const start = [Math.min(before, after), Math.max(before, after)].find((at) => this.dayAt(at) === day);
    return start ?? before;
  }

  /** The first moment of a month, and the first one after it. */
  monthRange(month: string): { readonly fromMs: number; readonly beforeMs: number } {
    return {
      fromMs: this.startOf(`${month}-01`),
      beforeMs: this.startOf(`${addMonths(month, 1)}-01`),
    };
  }

  /** A moment as ISO 8601 with the offset of the zone then: `2026-07-01T14:00:00.000+02:00`, or `Z` where it is UTC. */
  timeAt(atMs: number): string {
    const quarter = Math.floor(atMs / QUARTER_MS);
    if (this.#known.quarter !== quarter) this.#known = { quarter, offset: this.#offsetAt(atMs) };
    const { offset } = this.#known;
    const local = isoTime(atMs + offset).slice(0, -1);
    if (offset === 0) return `${local}Z`;
    const minutes = Math.abs(Math.trunc(offset / 60_000));
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
      String(part).padStart(2, '0'),
    );
    return `${local}${offset < 0 ? '-' : '+'}${hours}:${rest}`;
  }

  /** Local wall-clock time at a moment, to the second, encoded as if it were UTC. */
  wallTimeAt(atMs: number): number {
    const parts = Object.fromEntries(
      this.#format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /**
   * The moment of a local wall-clock time, encoded as if it were UTC: the first of two where a clock change repeats it,
   * and later by the change where it skips it (RFC 5545).
   */
  atWallTime(wallMs: number): number {
    const before = wallMs - this.#offsetAt(wallMs - DAY_MS);
    const after = wallMs - this.#offsetAt(wallMs + DAY_MS);
    const candidates = [Math.min(before, after), Math.max(before, after)];
    return candidates.find((at) => this.wallTimeAt(at) === wallMs) ?? before;
  }

  #offsetAt(atMs: number): number {
    return this.wallTimeAt(atMs) - Math.floor(atMs / 1000) * 1000;
  }
}
