import { addDays, Calendar } from '../calendar.ts';

/** What determines the calendar day of a shop. */
export interface DayTerms {
  /** Null: UTC. */
  readonly timeZone: string | null;
  /** After a change of the zone: since when sends count, ms, until a time. */
  readonly dayFloor: number | null;
  readonly dayFloorUntil: number | null;
}

/** The first moment of the shop's day at a time, ms. Sends since then count against its limit per day. */
export function startOfLimitDay({ timeZone, dayFloor, dayFloorUntil }: DayTerms, now: number): number {
  const calendar = new Calendar(timeZone ?? 'UTC');
  const start = calendar.startOf(calendar.dayAt(now));
  const hasFloor = dayFloor !== null && dayFloorUntil !== null && now < dayFloorUntil;
  return hasFloor ? Math.min(start, dayFloor) : start;
}

/**
 * The floor after a change of the zone: until the day has ended in the old zone and in the new one, all sends since
 * the earlier of its two starts count. A change of the zone must not begin a second day.
 */
export function changeZone(
  shop: DayTerms,
  timeZone: string | null,
  now: number,
): Pick<DayTerms, 'dayFloor' | 'dayFloorUntil'> {
  if (timeZone === shop.timeZone) return { dayFloor: shop.dayFloor, dayFloorUntil: shop.dayFloorUntil };
  const moved = { timeZone, dayFloor: null, dayFloorUntil: null };
  const isRunning = shop.dayFloorUntil !== null && now < shop.dayFloorUntil;
  return {
    dayFloor: Math.min(startOfLimitDay(shop, now), startOfLimitDay(moved, now)),
    dayFloorUntil: Math.max(dayEnd(shop, now), dayEnd(moved, now), isRunning ? (shop.dayFloorUntil ?? 0) : 0),
  };
}

function dayEnd({ timeZone }: DayTerms, now: number): number {
  const calendar = new Calendar(timeZone ?? 'UTC');
  return calendar.startOf(addDays(calendar.dayAt(now), 1));
}
