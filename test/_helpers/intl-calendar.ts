/** A calendar by the digits of dates as Intl shows them, to compare the daemon's own with. */
import type { RecurringInterval } from '../../src/domain/catalog.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** `2027-03-31 14:00:00` as clocks in the zone show it. */
export function clockIn(timeZone: string, at: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format.format(at);
}

/** The first moment at which clocks show a time; where none does, that long after the change skipped it. */
export function momentOf(timeZone: string, shown: string): number {
  const asUtc = Date.parse(`${shown.replace(' ', 'T')}Z`);
  for (let minutes = 15 * 60; minutes >= -13 * 60; minutes -= 15) {
    const at = asUtc - minutes * 60_000;
    if (clockIn(timeZone, at) === shown) return at;
  }
  const dayBefore = asUtc - 86_400_000;
  const offset = Date.parse(`${clockIn(timeZone, dayBefore).replace(' ', 'T')}Z`) - dayBefore;
  return asUtc - offset;
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** The clock time n intervals after another one, by the digits of the date. */
export function later(shown: string, interval: RecurringInterval, n: number): string {
  const [date = '', time = ''] = shown.split(' ');
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (interval === 'daily' || interval === 'weekly') {
    const days = new Date(0);
    days.setUTCFullYear(year, month - 1, day + n * (interval === 'daily' ? 1 : 7));
    return `${days.toISOString().slice(0, 10)} ${time}`;
  }
  const months = year * 12 + (month - 1) + n * { monthly: 1, quarterly: 3, yearly: 12 }[interval];
  const [newYear, newMonth] = [Math.floor(months / 12), (months % 12) + 1];
  const isLeap = (newYear % 4 === 0 && newYear % 100 !== 0) || newYear % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return `${newYear}-${pad(newMonth)}-${pad(Math.min(day, days[newMonth - 1] ?? 31))} ${time}`;
}
