/** Several measurements of one figure. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Median and range of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined)
    throw new Error('statistics require at least one measurement');
  return { median: percentile(sorted, 50), min: first, max: last };
}

/** The interpolated percentile; values ascending, at least one. */
export function percentile(sorted: readonly number[], percent: number): number {
  const position = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined)
    throw new Error('statistics require at least one measurement');
  return below + (above - below) * (position - Math.floor(position));
}
