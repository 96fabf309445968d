import { Big } from 'big.js';

/** One source's fresh price. */
export interface Observation {
  readonly source: string;
  /** Positive decimal. */
  readonly rate: string;
  readonly at: number;
}

export interface MedianRate {
  readonly rate: string;
  /** The contributing sources, in the order given. */
  readonly sources: readonly string[];
  /** Time of the oldest contributing observation. */
  readonly at: number;
}

/** With three sources or more, one this far off the median is left out. */
const OUTLIER_SHARE = new Big('0.02');
/** Two sources further apart than this contradict each other. */
const PAIR_SHARE = new Big('0.05');
/** Decimals of a rate: far finer than any currency's minor unit. */
const RATE_DECIMALS = 8;

/**
 * The price that most sources agree on: the median without outliers. Null if there is no source, if two
 * contradict each other, or if no two of several agree.
 */
export function medianRate(observations: readonly Observation[]): MedianRate | null {
  if (observations.length === 0) return null;
  if (observations.length === 2 && spread(observations).gt(PAIR_SHARE)) return null;
  const kept = observations.length < 3 ? observations : withoutOutliers(observations);
  if (kept.length === 0 || (observations.length > 2 && kept.length < 2)) return null;
  return {
    rate: median(kept).round(RATE_DECIMALS, Big.roundHalfEven).toFixed(),
    sources: kept.map((observation) => observation.source),
    at: Math.min(...kept.map((observation) => observation.at)),
  };
}

function withoutOutliers(observations: readonly Observation[]): readonly Observation[] {
  const middle = median(observations);
  const tolerance = middle.times(OUTLIER_SHARE);
  return observations.filter(({ rate }) => new Big(rate).minus(middle).abs().lte(tolerance));
}

/** The middle value, or the mean of the two middle ones: exact. */
function median(observations: readonly Observation[]): Big {
  const sorted = observations.map(({ rate }) => new Big(rate)).sort((a, b) => a.cmp(b));
  const half = Math.floor((sorted.length - 1) / 2);
  const [low, high] = [sorted[half], sorted[sorted.length - 1 - half]];
  if (low === undefined || high === undefined) throw new Error('median requires at least one value');
  return low.plus(high).times('0.5');
}

/** Distance of the extremes as a share of the lower one. */
function spread(observations: readonly Observation[]): Big {
  const sorted = observations.map(({ rate }) => new Big(rate)).sort((a, b) => a.cmp(b));
  const [low] = sorted;
  const high = sorted.at(-1);
  if (low === undefined || high === undefined) throw new Error('spread requires at least one value');
  return high.minus(low).div(low);
}
