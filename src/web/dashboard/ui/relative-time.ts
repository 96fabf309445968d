const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** "3 minutes ago" or "in 2 hours"; null from a day on, because the date is clearer then. */
export function relativeTime(at: number, now: number, locale: string): string | null {
  const distance = at - now;
  const far = Math.abs(distance);
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (far < MINUTE_MS) return relative.format(0, 'second');
  if (far < HOUR_MS) return relative.format(Math.trunc(distance / MINUTE_MS), 'minute');
  return far < DAY_MS ? relative.format(Math.trunc(distance / HOUR_MS), 'hour') : null;
}

/** For each time, whether another one is in the same minute. */
export function sharesMinute(times: readonly string[]): boolean[] {
  const minutes = times.map((at) => Math.floor(Date.parse(at) / MINUTE_MS));
  return minutes.map((minute, at) => minutes.some((other, place) => place !== at && other === minute));
}
