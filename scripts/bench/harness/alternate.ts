import type { Comparison, Target } from './question.ts';
import { spreadOf } from './stats.ts';

/** The measurements of both sides, one of each per round. */
export interface Rounds<M> {
  readonly ours: readonly M[];
  readonly baseline: readonly M[];
}

/** Bounds of a warm-up: set only in the discarded round. */
export interface WarmUp {
  readonly maxRequests?: number;
  readonly durationMs?: number;
}

const WARM_UP_MS = 30_000;

/**
 * Measures both sides in turn (ours, baseline, ours, ...), so that other load on the machine affects both. The first
 * round of each is discarded; with `warmUpRequests` it lasts until the code has run that often, so that a slow machine
 * also measures compiled code.
 */
export async function alternate<M>(sides: {
  readonly rounds: number;
  readonly warmUpRequests?: number;
  readonly ours: (limits: WarmUp) => Promise<M>;
  readonly baseline: (limits: WarmUp) => Promise<M>;
}): Promise<Rounds<M>> {
  const { warmUpRequests } = sides;
  const limits = warmUpRequests === undefined ? {} : { maxRequests: warmUpRequests, durationMs: WARM_UP_MS };
  await sides.ours(limits);
  await sides.baseline(limits);
  const ours: M[] = [];
  const baseline: M[] = [];
  for (let round = 0; round < sides.rounds; round += 1) {
    ours.push(await sides.ours({}));
    baseline.push(await sides.baseline({}));
  }
  return { ours, baseline };
}

/** The table row of one figure: its ratio is the median of the ratios of the rounds. */
export function compare<M>(
  rounds: Rounds<M>,
  line: {
    readonly what: string;
    readonly unit: string;
    readonly figure: (measured: M) => number;
    readonly target: Target | null;
  },
): Comparison {
  const ours = rounds.ours.map(line.figure);
  const baseline = rounds.baseline.map(line.figure);
  const ratios = ours.map((value, round) => value / (baseline[round] ?? Number.NaN));
  return {
    what: line.what,
    unit: line.unit,
    target: line.target,
    ours: spreadOf(ours),
    baseline: spreadOf(baseline),
    ratio: spreadOf(ratios),
  };
}
