import { Big } from 'big.js';
import type { MedianRate } from './median.ts';

/** How far a single source may move a rate. */
export interface SingleSourceLimits {
  /** Percent per minute, relative to the last accepted rate. */
  readonly perMinutePercent: number;
  /** Percent, relative to the last rate that two or more sources agreed on. */
  readonly maxPercent: number;
}

/** An accepted rate, and the time when it was last confirmed. */
export interface Reference {
  readonly rate: string;
  readonly at: number;
}

/** The history of a coin's rate in a currency that bounds the next one. */
export interface RateHistory {
  /** The last rate that two or more sources agreed on; null before the first. */
  readonly agreed: Reference | null;
  /**
   * An accepted rate: the last one of several sources, or that of a single source a minute or more ago, so
   * that many small steps within a minute do not add up. Null before the first.
   */
  readonly last: Reference | null;
}

export const NO_HISTORY: RateHistory = { agreed: null, last: null };

/** `alone`: from a single source although more agreed before. */
export interface Verdict {
  readonly state: 'agreed' | 'single' | 'alone' | 'refused';
  readonly history: RateHistory;
  /** The reason for the rejection; otherwise null. */
  readonly reason: string | null;
}

const MINUTE_MS = 60_000;
/**
 * An agreed rate older than this (or newer, after a clock change) bounds nothing, because the market may have
 * moved anywhere since.
 */
const AGREED_COUNTS_MS = 7 * 24 * 60 * MINUTE_MS;
const HUNDRED = new Big(100);

/**
 * Decides whether a rate is accepted. Two sources that agree are accepted. A single source may move the rate
 * slowly and not far from the last agreed one, because it may be wrong or manipulated. A rejected rate leaves
 * the history unchanged, so that a stable price is accepted after enough minutes. Pure.
 */
export function judgeRate(
  rate: Pick<MedianRate, 'rate' | 'sources'>,
  history: RateHistory,
  { limits, now }: { readonly limits: SingleSourceLimits; readonly now: number },
): Verdict {
  const reference = { rate: rate.rate, at: now };
  if (rate.sources.length > 1) {
    return { state: 'agreed', history: { agreed: reference, last: reference }, reason: null };
  }
  const { agreed, last } = history;
  const source = rate.sources[0] ?? 'no source';
  if (
    agreed !== null &&
    isRecent(agreed, now) &&
    !isWithin(rate.rate, agreed.rate, new Big(limits.maxPercent))
  ) {
    const reason = `${source} alone tells ${rate.rate}, more than ${limits.maxPercent} % from the ${agreed.rate} that was last agreed on`;
    return { state: 'refused', history, reason };
  }
  if (last !== null) {
    // If the clock was set back, the limit of a minute must not shrink.
    const minutes = Math.max(1, (now - last.at) / MINUTE_MS);
    const allowed = new Big(limits.perMinutePercent).times(String(minutes));
    if (!isWithin(rate.rate, last.rate, allowed)) {
      const reason = `${source} alone moved it from ${last.rate} to ${rate.rate}, more than ${limits.perMinutePercent} % a minute`;
      return { state: 'refused', history, reason };
    }
  }
  const isSameMinute = last !== null && now >= last.at && now - last.at < MINUTE_MS;
  const next = { agreed, last: isSameMinute ? last : reference };
  return { state: agreed === null ? 'single' : 'alone', history: next, reason: null };
}

function isRecent({ at }: Reference, now: number): boolean {
  return Math.abs(now - at) <= AGREED_COUNTS_MS;
}

/** Whether two rates differ by at most so many percent of the lower one. */
function isWithin(rate: string, other: string, percent: Big): boolean {
  const [a, b] = [new Big(rate), new Big(other)];
  const [low, high] = a.lt(b) ? [a, b] : [b, a];
  return high.minus(low).times(HUNDRED).lte(low.times(percent));
}
