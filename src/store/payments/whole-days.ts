/** How days (of UTC) are counted in tables that keep something by the day. */
const DAY_MS = 86_400_000;

/** A time with its first and last millisecond; without one of them it is open there. */
export interface Span {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The whole days of a time, the last one not counted, and what it has besides: parts of two days at most. */
export interface SplitSpan {
  readonly firstDay: number | undefined;
  readonly endDay: number | undefined;
  readonly ends: readonly Span[];
}

/** A time as whole days and its two ends, of which no moment is in two; null when it has no whole day. */
export function splitByDay({ fromMs, toMs }: Span): SplitSpan | null {
  const firstDay = fromMs === undefined ? undefined : Math.ceil(fromMs / DAY_MS);
  const endDay = toMs === undefined ? undefined : Math.floor((toMs + 1) / DAY_MS);
  if (firstDay !== undefined && endDay !== undefined && firstDay >= endDay) return null;
  const ends: Span[] = [];
  if (firstDay !== undefined && fromMs !== firstDay * DAY_MS) {
    ends.push({ fromMs, toMs: firstDay * DAY_MS - 1 });
  }
  if (endDay !== undefined && toMs !== endDay * DAY_MS - 1) ends.push({ fromMs: endDay * DAY_MS, toMs });
  return { firstDay, endDay, ends };
}
