import { beginRuns, lastPaidEnd } from './coverage.ts';
import type { Decision, SubscriptionState } from './types.ts';

/** What was left of the paid time at the pause begins again now; the next period follows it. */
export function resume(given: SubscriptionState, now: number): Decision {
  const state = beginRuns(given, given.pausedAt ?? now);
  const shift = pauseShift(state, now);
  const move = (at: number): number => at + (shift ?? 0);
  const rests = state.paidUntil !== null && isLeft(state, state.paidUntil);
  const paidUntil = rests && state.paidUntil !== null ? move(state.paidUntil) : state.paidUntil;
  const laterRuns = state.laterRuns.map(({ from, until }) => ({ from: move(from), until: move(until) }));
  const last = shift === null ? null : lastPaidEnd({ paidUntil, laterRuns });
  return {
    state: {
      ...state,
      status: rests ? 'active' : 'past_due',
      pausedAt: null,
      pausedBy: null,
      paidUntil,
      laterRuns,
      schedule: { ...state.schedule, anchorAt: last ?? Math.floor(now / 1000) * 1000, anchorN: state.nextN },
    },
    events: ['subscription.resumed'],
  };
}

type Paused = Pick<SubscriptionState, 'pausedAt' | 'paidUntil' | 'laterRuns'>;

function isLeft({ pausedAt }: Pick<Paused, 'pausedAt'>, until: number): boolean {
  return pausedAt !== null && until > pausedAt;
}

/** By how many ms a pause that ends now moves the paid time; null: none was left at the pause. */
export function pauseShift(state: Paused, now: number): number | null {
  const { pausedAt } = state;
  const last = lastPaidEnd(state);
  if (pausedAt === null || last === null || !isLeft(state, last)) return null;
  // Periods begin at whole seconds. Both instants are rounded, so that many short pauses give no time away.
  return Math.max(0, Math.ceil(now / 1000) - Math.ceil(pausedAt / 1000)) * 1000;
}
