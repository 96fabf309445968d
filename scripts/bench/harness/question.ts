import type { Spread } from './stats.ts';

/** What a ratio must reach. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

/** One line of a question's table: our figure, the baseline's, and their ratio. */
export interface Comparison {
  readonly what: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly baseline: Spread;
  /** Ours divided by the baseline's of the same round. */
  readonly ratio: Spread;
  /** Null: told for information. */
  readonly target: Target | null;
}

/** One question of the suite: a file scripts/bench/NAME.ts exports one as `question`. */
export interface Question {
  /** What is asked of the program. */
  readonly asks: string;
  /** What it is compared with. */
  readonly against: string;
  readonly run: (bench: Bench) => Promise<Findings>;
}

export interface Findings {
  readonly comparisons: readonly Comparison[];
  /** Facts a reader needs to judge the figures. */
  readonly notes?: readonly string[];
}

/** What a question gets from the harness. */
export interface Bench {
  /** True while developing (BENCH_QUICK=1): shorter runs and smaller data, figures not to be quoted. */
  readonly quick: boolean;
  /** A new directory that is removed after the question. */
  readonly newDir: () => string;
  /** A new directory that later questions of the same run use, too. */
  readonly keptDir: () => string;
  /** Tells what is going on, on standard error. */
  readonly progress: (message: string) => void;
  /** Called in the opposite order after the question, whatever its outcome. */
  readonly onEnd: (cleanUp: () => Promise<void> | void) => void;
}

export function isMet(target: Target, ratio: number): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
}
