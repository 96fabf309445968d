import { outputKey } from '../chain.ts';
import { CreditBook } from './credit-book.ts';
import { eventsBetween, reportedExcess, excessToReport } from './events-between.ts';
import { isAccepted } from './acceptance.ts';
import { isFullyRefunded } from './balance.ts';
import { liveCredits, nextPosition, reaches, sumByCoin } from './credits.ts';
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
 * only their net events: a payer's fee bump (one output gone, its replacement seen) is no reversal.
 */
export function transitionAll(payment: PaymentState, facts: readonly PaymentFact[], now: number): Transition {
  const book = new CreditBook(payment);
  let observed = payment;
  for (const fact of facts) observed = observe(observed, book, fact, now);
  observed = book.into(observed);
  if (observed === payment) return { payment, events: [] };
  const settled = deriveStatus(withRefunds(payment, withReplacement(payment, observed), now));
  const excessTold = excessToReport(payment, settled) ?? reportedExcess(payment, settled);
  return { payment: { ...settled, excessTold }, events: eventsBetween(payment, settled) };
}

/**
 * An acceptance survives when the accepted money is replaced, such as by a payer's fee bump, by as much that comes with
 * it: that takes the place of the accepted money. Other money does not stand in for it, neither what was there before nor
 * what comes later. Otherwise it is suspended: it holds again only if that very money comes back.
 */
function withReplacement(before: PaymentState, after: PaymentState): PaymentState {
  const { acceptedPosition } = after;
  if (acceptedPosition === null || acceptedPosition !== before.acceptedPosition) return after;
  // The merchant gave it back elsewhere: an earlier place would make other money of this round part of that.
  if (after.refundedBy === 'merchant' || !isAccepted(before) || isAccepted(after)) return after;
  const had = liveCredits(before);
  if (!reaches(sumByCoin(liveCredits(after)), sumByCoin(had))) return after;
  const wasLive = new Set(had.map(({ ref }) => outputKey(ref)));
  const credits = after.credits.map((credit) => {
    const isNew = credit.state !== 'gone' && !wasLive.has(outputKey(credit.ref));
    return isNew && credit.position > acceptedPosition ? { ...credit, position: acceptedPosition } : credit;
  });
  return { ...after, credits };
}

/**
 * A payment is refunded while its refunds give back all its live money: of what came by the time it was refunded, since
 * what comes later is extra. Dropped money that returns ends that as a failed refund does. The merchant's own word is final.
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
  // With none of it left, only a refund that failed could end it.
  return before.refunds === after.refunds || isFullyRefunded(after, meant);
}
