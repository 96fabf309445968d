import { Big } from 'big.js';
import type { Consensus } from './median.ts';

/** How far one source alone may move a rate. */
export interface SingleSourceLimits {
  /** Percent per minute, against the last rate that counted. */
  readonly perMinutePercent: number;
  /** Percent, against the last rate that two sources or more agreed on. */
  readonly maxPercent: number;
}

/** A rate that counted, and when it was last seen to. */
export interface Reference {
  readonly rate: string;
  readonly at: number;
}

/** What earlier rates of a coin in a currency leave for the next one. */
export interface RateHistory {
  /** The last rate that two sources or more agreed on; null before there was one. */
  readonly agreed: Reference | null;
  /**
   * A rate that counted, whoever gave it: the last one of several sources, or that of one source a minute or more ago, so that
   * many small steps within a minute do not add up. Null before there was one.
   */
  readonly last: Reference | null;
}

export const NO_HISTORY: RateHistory = { agreed: null, last: null };

/** `alone`: by one source, where more agreed before. */
export interface Verdict {
  readonly state: 'agreed' | 'single' | 'alone' | 'refused';
  readonly history: RateHistory;
  /** Why it is refused; null otherwise. */
  readonly reason: string | null;
}

const MINUTE_MS = 60_000;
/** An agreed rate older than this, by either direction of the clock, bounds nothing: the market may have gone anywhere since. */
const AGREED_COUNTS_MS = 7 * 24 * 60 * MINUTE_MS;
const HUNDRED = new Big(100);

/**
 * Whether a rate counts. Two sources that agree are believed. One alone may move it slowly, and not far from what was last
 * agreed on: it may be wrong, or somebody may steer it. A refused rate leaves the history as it is, so that a price that stays
 * counts once enough minutes have passed. Pure.
 */
export function judgeRate(
  rate: Pick<Consensus, 'rate' | 'sources'>,
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
    // A clock set back must not shrink what a minute allows.
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

/** Whether two rates are within so many percent of the lower one. */
function isWithin(rate: string, other: string, percent: Big): boolean {
  const [a, b] = [new Big(rate), new Big(other)];
  const [low, high] = a.lt(b) ? [a, b] : [b, a];
  return high.minus(low).times(HUNDRED).lte(low.times(percent));
}
