import type { Spread } from './stats.ts';

/** The required bound of a ratio. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One row of a benchmark's table: our figure, the baseline's, and their ratio. */
export interface Comparison {
  readonly what: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly baseline: Spread;
  /** Ours divided by the baseline's of the same round. */
  readonly ratio: Spread;
  /** Null: for information only. */
  readonly target: Target | null;
}

/** One benchmark of the suite: a file scripts/bench/NAME.ts exports it as `question`. */
export interface Question {
  /** The measured operation. */
  readonly asks: string;
  /** The baseline. */
  readonly against: string;
  readonly run: (bench: Bench) => Promise<Findings>;
}

export interface Findings {
  readonly comparisons: readonly Comparison[];
  /** Facts needed to judge the figures. */
  readonly notes?: readonly string[];
}

/** The harness, as a benchmark sees it. */
export interface Bench {
  /** True during development (BENCH_QUICK=1): shorter runs and smaller data; the figures are not meaningful. */
  readonly quick: boolean;
  /** The length of a long run (--minutes); null for its usual one. */
  readonly minutes: number | null;
  /** A new directory that is removed after the benchmark. */
  readonly newDir: () => string;
  /** A new directory that is shared with later benchmarks of the same run. */
  readonly keptDir: () => string;
  /** Logs the progress to standard error. */
  readonly progress: (message: string) => void;
  /** Called in reverse order after the benchmark, also if it fails. */
  readonly onEnd: (cleanUp: () => Promise<void> | void) => void;
}

export function isMet(target: Target, ratio: number): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
}
