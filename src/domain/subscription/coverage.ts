/** Time that is paid without a gap. */
export interface PaidRun {
  readonly from: number;
  readonly until: number;
}

export interface Coverage {
  /** End of the run in which a moment is, or of the last one before it; null: none has begun. */
  readonly paidUntil: number | null;
  /** Runs that have not begun, because time before them is not paid: it was refunded or reversed. Oldest first. */
  readonly laterRuns: readonly PaidRun[];
}

/**
 * The paid time at a moment.
 * @param periods paid periods, in any order
 * @param freeUntil the first period begins here: a payment before it counts at once
 */
export function coverPaidTime(
  periods: readonly PaidRun[],
  { at, freeUntil }: { readonly at: number; readonly freeUntil: number },
): Coverage {
  return beginRuns({ paidUntil: null, laterRuns: joinPeriods(periods) }, Math.max(at, freeUntil));
}

/** Adjoining periods become one run. */
export function joinPeriods(periods: readonly PaidRun[]): PaidRun[] {
  const runs: PaidRun[] = [];
  for (const period of periods.toSorted((one, two) => one.from - two.from)) {
    const last = runs.at(-1);
    if (last === undefined || period.from > last.until) runs.push(period);
    else runs[runs.length - 1] = { from: last.from, until: Math.max(last.until, period.until) };
  }
  return runs;
}

/** A run that has begun by a moment is the current one. */
export function beginRuns<State extends Coverage>(state: State, at: number): State {
  const begun = state.laterRuns.filter(({ from }) => from <= at);
  const last = begun.at(-1);
  if (last === undefined) return state;
  return { ...state, paidUntil: last.until, laterRuns: state.laterRuns.slice(begun.length) };
}

/** The end of all paid time; null: never paid. */
export function lastPaidEnd({ paidUntil, laterRuns }: Coverage): number | null {
  return laterRuns.at(-1)?.until ?? paidUntil;
}
