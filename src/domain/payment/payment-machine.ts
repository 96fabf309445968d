import { outputKey } from '../chain.ts';
import { CreditIndex } from './credit-index.ts';
import { eventsBetween, reportedExcessAfterReversals, excessToReport } from './events-between.ts';
import { isAccepted } from './acceptance.ts';
import { isFullyRefunded } from './balance.ts';
import { liveCredits, nextPosition, coversAmounts, sumByCoin } from './credits.ts';
import { observe } from './observe.ts';
import { deriveStatus } from './status.ts';
import type { PaymentFact, PaymentState, Transition } from './types.ts';

export { isLate, isOverdue } from './observe.ts';
export { liveCredits } from './credits.ts';

/**
 * The payment state machine: pure and total. Applies one fact and returns the next state with the
 * events it causes, in order. Repeated and outdated facts change nothing and cause nothing.
 *
 * Invariants: the money counted is exactly the outputs that are not gone; no `expired` after money
 * was seen (a payment whose money vanished ends as `failed`); a completed payment stays completed
 * while enough of its money is alive, and emits `payment.reversed` when not. `now` is in
 * milliseconds.
 */
export function transition(payment: PaymentState, fact: PaymentFact, now: number): Transition {
  return transitionAll(payment, [fact], now);
}

/**
 * Applies facts that were observed together, such as one block or one mempool snapshot, and emits
 * only their net events: a payer's fee bump (one output gone, its replacement seen) is not a reversal.
 */
export function transitionAll(payment: PaymentState, facts: readonly PaymentFact[], now: number): Transition {
  const book = new CreditIndex(payment);
  let observed = payment;
  for (const fact of facts) observed = observe(observed, book, fact, now);
  observed = book.into(observed);
  if (observed === payment) return { payment, events: [] };
  const settled = deriveStatus(withRefunds(payment, withReplacement(payment, observed), now));
  const reportedExcess = excessToReport(payment, settled) ?? reportedExcessAfterReversals(payment, settled);
  return { payment: { ...settled, reportedExcess }, events: eventsBetween(payment, settled) };
}

/**
 * An acceptance survives when the accepted money is replaced by an equal amount in the same change, such as
 * by a payer's fee bump (RBF): the replacement takes its place. Other money does not, neither earlier nor
 * later money. Otherwise the acceptance is suspended: it applies again only if that exact money returns.
 */
function withReplacement(before: PaymentState, after: PaymentState): PaymentState {
  const { acceptedPosition } = after;
  if (acceptedPosition === null || acceptedPosition !== before.acceptedPosition) return after;
  // The merchant refunded it elsewhere: an earlier position would include other money of this round in that
  // refund.
  if (after.refundedBy === 'merchant' || !isAccepted(before) || isAccepted(after)) return after;
  const had = liveCredits(before);
  if (!coversAmounts(sumByCoin(liveCredits(after)), sumByCoin(had))) return after;
  const wasLive = new Set(had.map(({ ref }) => outputKey(ref)));
  const credits = after.credits.map((credit) => {
    const isNew = credit.state !== 'gone' && !wasLive.has(outputKey(credit.ref));
    return isNew && credit.position > acceptedPosition ? { ...credit, position: acceptedPosition } : credit;
  });
  return { ...after, credits };
}

/**
 * A payment is refunded while its refunds cover all its live money that was present when it became refunded;
 * later money is extra. Dropped money that returns ends this state, as a failed refund does. The merchant's
 * own decision is final.
 */
function withRefunds(before: PaymentState, after: PaymentState, now: number): PaymentState {
  if (after.refundedBy === 'merchant' || isStillRefunded(before, after)) return after;
  const isRefunded = isFullyRefunded(after, liveCredits(after));
  return {
    ...after,
    refundedAt: isRefunded ? now : null,
    refundedPosition: isRefunded ? nextPosition(after) : null,
    refundedBy: isRefunded ? 'refunds' : null,
  };
}

function isStillRefunded(before: PaymentState, after: PaymentState): boolean {
  const { refundedPosition } = after;
  if (refundedPosition === null) return false;
  const meant = after.credits.filter(({ position }) => position <= refundedPosition);
  const live = liveCredits({ credits: meant });
  if (live.length > 0) return isFullyRefunded(after, live);
  // With no money left, only a failed refund could end this state.
  return before.refunds === after.refunds || isFullyRefunded(after, meant);
}
