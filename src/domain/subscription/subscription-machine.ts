import { assertNever } from '../errors.ts';
import { beginRuns, lastPaidEnd } from './coverage.ts';
import { resume } from './pauses.ts';
import { addCalendarDays, periodStart, type Schedule } from './periods.ts';
import type { Decision, SubscriptionActor, SubscriptionFact, SubscriptionState } from './types.ts';

/** Days before its end on which the end of a trial is announced. */
const TRIAL_NOTICE_DAYS = 3;

/**
 * Decides each transition of a subscription from its state, one fact and the time.
 * @returns null where the state forbids the action
 */
export function decide(given: SubscriptionState, fact: SubscriptionFact, now: number): Decision | null {
  const state = fact.type === 'clock' ? given : atTime(given, now);
  switch (fact.type) {
    case 'clock':
      return advance(state, fact.isUndecided, now);
    case 'invoiced': {
      const { payBy: openPayBy, graceDays } = fact;
      const next = { ...state, nextN: state.nextN + 1, openPayBy, graceDays };
      return { state: next, events: ['subscription.invoiced'] };
    }
    case 'settled':
      return settle(state, fact, now);
    case 'pause':
      if (state.status !== 'active' && state.status !== 'past_due') return null;
      return {
        state: { ...state, status: 'paused', pausedAt: now, pausedBy: fact.by, openPayBy: null },
        events: ['subscription.paused'],
      };
    case 'resume':
      return canResume(state, fact.by) ? resume(state, now) : null;
    case 'cancel':
      return cancel(state, fact, now);
    case 'keep':
      if (!canKeep(state, fact.by)) return null;
      return {
        state: { ...state, cancelAtPeriodEnd: false, cancelledBy: null },
        events: ['subscription.updated'],
      };
    default:
      return assertNever(fact);
  }
}

/** A payer does not undo what the shop did. */
function canUndo(done: SubscriptionActor | null, by: SubscriptionActor): boolean {
  return by === 'merchant' || done === 'payer';
}

export function canResume(
  { status, pausedBy }: Pick<SubscriptionState, 'status' | 'pausedBy'>,
  by: SubscriptionActor,
): boolean {
  return status === 'paused' && canUndo(pausedBy, by);
}

/** Whether a cancellation at the end of the period can be undone. */
export function canKeep(
  state: Pick<SubscriptionState, 'status' | 'cancelAtPeriodEnd' | 'cancelledBy'>,
  by: SubscriptionActor,
): boolean {
  return state.cancelAtPeriodEnd && !isOver(state) && canUndo(state.cancelledBy, by);
}

function isOver({ status }: Pick<SubscriptionState, 'status'>): boolean {
  return status === 'cancelled' || status === 'ended';
}

/** A pause stops the paid time. */
function atTime(state: SubscriptionState, now: number): SubscriptionState {
  return beginRuns(state, state.pausedAt ?? now);
}

/** Every transition that has come due, one after the other. */
function advance(given: SubscriptionState, isUndecided: boolean, now: number): Decision {
  const begun = atTime(given, now);
  const isBegun = begun.paidUntil !== given.paidUntil;
  const state = isBegun ? { ...begun, hasGrace: true } : begun;
  const { state: noticed, events: notices } = noticeTrialEnd(state, now);
  const [events, passed] = [[...notices], new Set<string>()];
  let current = noticed;
  while (!passed.has(current.status)) {
    passed.add(current.status);
    const step = transitionByTime(current, isUndecided, now);
    current = step.state;
    events.push(...step.events);
  }
  if (isBegun && events.length === 0) events.push('subscription.updated');
  return { state: current, events };
}

function noticeTrialEnd(state: SubscriptionState, now: number): Decision {
  const noticeAt = trialNoticeAt(state);
  if (noticeAt === null || now < noticeAt) return { state, events: [] };
  const isSent = state.trialEndsAt !== null && now < state.trialEndsAt;
  return {
    state: { ...state, trialEndingSent: true },
    events: isSent ? ['subscription.trial_ending'] : [],
  };
}

function trialNoticeAt({ status, trialEndsAt, trialEndingSent, schedule }: SubscriptionState): number | null {
  if (status !== 'trialing' || trialEndsAt === null || trialEndingSent) return null;
  return addCalendarDays(schedule.timeZone, trialEndsAt, -TRIAL_NOTICE_DAYS);
}

function transitionByTime(state: SubscriptionState, isUndecided: boolean, now: number): Decision {
  const unchanged = { state, events: [] };
  switch (state.status) {
    case 'trialing':
    case 'active': {
      if (now < statusUntil(state)) return unchanged;
      if (state.paidUntil !== null && now < state.paidUntil) {
        return { state: { ...state, status: 'active' }, events: ['subscription.updated'] };
      }
      if (state.cancelAtPeriodEnd && !isPaidLater(state)) return isUndecided ? unchanged : end(state, now);
      return { state: { ...state, status: 'past_due' }, events: ['subscription.past_due'] };
    }
    case 'past_due': {
      if (state.paidUntil !== null && now < state.paidUntil) {
        return { state: { ...state, status: 'active' }, events: ['subscription.updated'] };
      }
      const at = pastDueUntil(state, now);
      return at !== null && now >= at && !isUndecided ? end(state, now) : unchanged;
    }
    case 'cancelled': {
      const isOverNow = !isPaidLater(state) && now >= (activeUntil(state, now) ?? now);
      return isOverNow ? end(state, now) : unchanged;
    }
    case 'paused':
    case 'ended':
      return unchanged;
    default:
      return assertNever(state.status);
  }
}

/** Whether a paid period begins behind time that is not paid: the subscription does not end before it. */
function isPaidLater({ laterRuns }: SubscriptionState): boolean {
  return laterRuns.length > 0;
}

/** When a subscription without paid time now ends; null: not before something else happens. */
function pastDueUntil(state: SubscriptionState, now: number): number | null {
  if (isPaidLater(state)) return null;
  // Its last paid period was refunded after the cancellation.
  return state.openPayBy ?? (state.cancelAtPeriodEnd ? now : null);
}

/** When time alone ends `trialing` or `active`. */
function statusUntil({ status, paidUntil, trialEndsAt, startsAt }: SubscriptionState): number {
  // Not the anchor, which another interval moves.
  const unpaid = trialEndsAt ?? startsAt;
  return status === 'trialing' ? unpaid : (paidUntil ?? unpaid);
}

function end(state: SubscriptionState, now: number): Decision {
  const endedAt = activeUntil(state, now) ?? now;
  return {
    state: { ...state, status: 'ended', openPayBy: null, endedAt },
    events: ['subscription.ended'],
  };
}

function settle(
  state: SubscriptionState,
  { change, paidUntil, laterRuns, openPayBy }: Extract<SubscriptionFact, { type: 'settled' }>,
  now: number,
): Decision {
  const settled = { ...state, paidUntil, laterRuns, openPayBy: isOver(state) ? null : openPayBy };
  if (change !== 'paid') {
    const isLastRefunded = change === 'refunded' && paidUntil !== state.paidUntil;
    const hasGrace = state.hasGrace && !isLastRefunded;
    return { state: { ...settled, hasGrace }, events: ['subscription.updated'] };
  }
  const isCurrent = state.status === 'past_due' && paidUntil !== null && now < paidUntil;
  const status = isCurrent ? 'active' : state.status;
  return { state: { ...settled, status, hasGrace: true }, events: ['subscription.renewed'] };
}

function cancel(
  state: SubscriptionState,
  { atPeriodEnd, by }: Extract<SubscriptionFact, { type: 'cancel' }>,
  now: number,
): Decision | null {
  if (isOver(state)) return null;
  if (atPeriodEnd && (state.status === 'trialing' || state.status === 'active')) {
    // The shop’s cancellation counts more than that of the payer, who may undo only the latter.
    if (state.cancelAtPeriodEnd && !(by === 'merchant' && state.cancelledBy === 'payer')) {
      return { state, events: [] };
    }
    return {
      state: { ...state, cancelAtPeriodEnd: true, cancelledBy: by },
      events: ['subscription.updated'],
    };
  }
  const running = state.status === 'paused' ? resume(state, now).state : state;
  const cancelled: SubscriptionState = { ...running, status: 'cancelled', cancelledBy: by, openPayBy: null };
  const { state: last, events } = advance(cancelled, false, now);
  return { state: last, events: ['subscription.cancelled', ...events] };
}

/** The end of the entitlement that a moment is in, or of the last one before; null: never yet. */
export function activeUntil(given: SubscriptionState, now: number): number | null {
  const state = atTime(given, now);
  const { status, paidUntil, schedule, hasGrace, graceDays, pausedAt, endedAt } = state;
  if (endedAt !== null) return endedAt;
  const until = paidUntil ?? unpaidUntil(state, now);
  if (until === null) return null;
  if (status === 'paused' && pausedAt !== null) return Math.min(pausedAt, until);
  // Grace is for a last payment that is late: before a paid period it would be a free one.
  if (status !== 'past_due' || paidUntil === null || !hasGrace || isPaidLater(state)) return until;
  return addCalendarDays(schedule.timeZone, paidUntil, graceDays);
}

/** Not the anchor, which a pause moves. */
function unpaidUntil({ startsAt, trialEndsAt }: SubscriptionState, now: number): number | null {
  return now < startsAt ? null : (trialEndsAt ?? startsAt);
}

/**
 * When the next invoice is made, although it waits for an open one; null where none follows.
 * @param leadDays calendar days before its period, at most the period before
 */
export function nextInvoiceAt(state: SubscriptionState, leadDays: number): number | null {
  const { schedule, nextN } = state;
  if (!hasNextPeriod(state)) return null;
  return followsUnpaidTime(state) ? periodStart(schedule, nextN) : invoiceTime(schedule, nextN, leadDays);
}

/** When the invoice of a period is made if the period before is paid. */
export function invoiceTime(schedule: Schedule, n: number, leadDays: number): number {
  const lead = addCalendarDays(schedule.timeZone, periodStart(schedule, n), -leadDays);
  return Math.max(lead, periodStart(schedule, n - 1));
}

/**
 * Whether the time before the next period is neither paid nor free because a period was refunded. The next one is not
 * invoiced before it begins: `paidUntil` would include that time.
 */
export function followsUnpaidTime(state: SubscriptionState): boolean {
  const { schedule, nextN, openPayBy, trialEndsAt, startsAt } = state;
  const coveredUntil = Math.max(lastPaidEnd(state) ?? 0, trialEndsAt ?? startsAt);
  return openPayBy === null && periodStart(schedule, nextN) > coveredUntil;
}

/** Whether it will be invoiced again as it is. */
export function hasNextPeriod(state: SubscriptionState): boolean {
  return !isOver(state) && state.status !== 'paused' && !state.cancelAtPeriodEnd;
}

/** Whether the next invoice should exist by now: no other one is open. */
export function isInvoiceDue(state: SubscriptionState, leadDays: number, now: number): boolean {
  const at = state.openPayBy === null ? nextInvoiceAt(state, leadDays) : null;
  return at !== null && at <= now;
}

/** When time changes the subscription next; null if it never does. */
export function nextDecisionAt(state: SubscriptionState, leadDays: number, now: number): number | null {
  const invoice = state.openPayBy === null ? nextInvoiceAt(state, leadDays) : null;
  const moments = [invoice, trialNoticeAt(state), transitionAt(state, now)].filter((at) => at !== null);
  return moments.length === 0 ? null : Math.min(...moments);
}

function transitionAt(state: SubscriptionState, now: number): number | null {
  switch (state.status) {
    case 'trialing':
    case 'active':
      return statusUntil(state);
    case 'past_due':
      return pastDueUntil(state, now) ?? state.laterRuns[0]?.from ?? null;
    case 'cancelled':
      return state.laterRuns[0]?.from ?? activeUntil(state, now) ?? now;
    case 'paused':
    case 'ended':
      return null;
    default:
      return assertNever(state.status);
  }
}

/**
 * Until when an invoice can be paid before the subscription ends.
 * @param from the start of its period, or when it was made or lost its money if that is later
 */
export function paymentDueAt(
  { schedule, paidUntil }: SubscriptionState,
  from: number,
  graceDays: number,
): number {
  // Without any paid period there is no grace, but a day to pay.
  const days = paidUntil === null ? Math.max(1, graceDays) : graceDays;
  return addCalendarDays(schedule.timeZone, from, days);
}
