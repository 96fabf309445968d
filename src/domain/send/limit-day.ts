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

/** The first moment after that day, ms. */
function endOfLimitDay(shop: DayTerms, now: number): number {
  const { dayFloorUntil } = shop;
  return Math.max(dayEnd(shop, now), dayFloorUntil !== null && now < dayFloorUntil ? dayFloorUntil : 0);
}

/** The limits' day of an earlier moment: no end while it lasts. */
export function limitDayAt(shop: DayTerms, at: number, now: number): { start: number; end?: number } {
  const [start, end] = [startOfLimitDay(shop, at), endOfLimitDay(shop, at)];
  return end <= now ? { start, end } : { start };
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
  return {
    dayFloor: Math.min(startOfLimitDay(shop, now), startOfLimitDay(moved, now)),
    dayFloorUntil: Math.max(endOfLimitDay(shop, now), dayEnd(moved, now)),
  };
}

function dayEnd({ timeZone }: DayTerms, now: number): number {
  const calendar = new Calendar(timeZone ?? 'UTC');
  return calendar.startOf(addDays(calendar.dayAt(now), 1));
}
