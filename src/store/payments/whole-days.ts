/** Splits periods into whole UTC days for tables with daily totals. */
const DAY_MS = 86_400_000;

/** A period with its first and last millisecond; open at an end without one. */
export interface Span {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The whole days of a period, the last one excluded, and the rest: parts of two days at most. */
export interface SplitSpan {
  readonly firstDay: number | undefined;
  readonly endDay: number | undefined;
  readonly ends: readonly Span[];
}

/** Splits a period into whole days and two disjoint ends; null when it has no whole day. */
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
