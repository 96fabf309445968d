import { COINS, type Coin } from '../coins.ts';
import { outputKey, type OutputRef } from '../chain.ts';
import { assertNever } from '../errors.ts';
import { CreditBook } from './credit-book.ts';
import {
  coverageOf,
  coversMore,
  isOverpaid,
  isPaid,
  isPaidTwice,
  isSettled,
  type Coverage,
} from './coverage.ts';
import { isGivenBack } from './refunds.ts';
import type {
  PaymentCredit,
  PaymentEventType,
  PaymentException,
  PaymentFact,
  PaymentState,
  PaymentStatus,
  Transition,
} from './types.ts';

/**
 * The payment machine: pure and total. Applies one fact and answers the payment after it with the
 * events it causes, in order. Repeated and outdated facts change nothing and cause nothing.
 *
 * What holds whatever the facts: the money counted is exactly the outputs that are not gone; no
 * `expired` after money was seen (a payment whose money vanished ends as `failed`); a completed
 * payment stays completed while enough of its money is alive, and says `payment.reversed` when not.
 * `now` is in milliseconds.
 */
export function transition(payment: PaymentState, fact: PaymentFact, now: number): Transition {
  return transitionAll(payment, [fact], now);
}

/**
 * Applies facts that were observed together, such as one block or one look at the mempool, and
 * tells only what they come to: a payer's fee bump (one output gone, its double seen) is no reversal.
 */
export function transitionAll(payment: PaymentState, facts: readonly PaymentFact[], now: number): Transition {
  const book = new CreditBook(payment.credits);
  let observed = payment;
  for (const fact of facts) observed = observe(observed, book, fact, now);
  observed = book.into(observed);
  if (observed === payment) return { payment, events: [] };
  const settled = settle(withRefunds(observed, now));
  return { payment: settled, events: eventsBetween(payment, settled) };
}

/** Whether a merchant may still cancel: nothing was paid and nothing is decided. */
function canCancel(payment: PaymentState): boolean {
  return payment.status === 'pending' && liveCredits(payment).length === 0;
}

/** Whether `resolve` applies: money is there that the machine alone would not take. */
function canResolve(payment: PaymentState, action: 'accept' | 'refunded'): boolean {
  if (payment.refundedAt !== null) return false;
  const hasMoney = liveCredits(payment).length > 0;
  if (action === 'refunded') return payment.credits.length > 0;
  return hasMoney && payment.status !== 'completed' && payment.status !== 'confirming';
}

/** Credits that count: everything observed that is not gone. */
export function liveCredits(payment: PaymentState): readonly PaymentCredit[] {
  return payment.credits.filter((credit) => credit.state !== 'gone');
}

/** Folds the fact into the observations; the same payment and book when it says nothing new. */
function observe(payment: PaymentState, book: CreditBook, fact: PaymentFact, now: number): PaymentState {
  switch (fact.type) {
    case 'output_seen':
      return observeSeen(payment, book, fact);
    case 'output_confirmed':
      return observeConfirmed(payment, book, fact);
    case 'output_unconfirmed':
      updateCredit(book, fact.ref, (credit) =>
        credit.state === 'confirmed' ? { ...credit, state: 'unconfirmed', height: null } : credit,
      );
      return payment;
    case 'output_gone':
      return observeGone(payment, book, fact.ref);
    case 'late_quoted':
      updateCredit(book, fact.ref, (credit) =>
        credit.late && credit.due === null && fact.due > 0n ? { ...credit, due: fact.due } : credit,
      );
      return payment;
    case 'tip':
      return withTip(payment, fact);
    case 'clock':
      return payment.closedAt === null && now >= payment.expiresAt ? { ...payment, closedAt: now } : payment;
    case 'cancel':
      return canCancel(book.into(payment)) ? { ...payment, cancelledAt: now } : payment;
    case 'refund_accepted':
      return { ...payment, refunds: fact.refunds };
    case 'refund_failed':
      return withoutRefund({ ...book.into(payment), refunds: fact.refunds });
    case 'resolve':
      return resolve(book.into(payment), fact.action, now) ?? payment;
    default:
      return assertNever(fact);
  }
}

/** Null when there is nothing to decide. */
function resolve(payment: PaymentState, action: 'accept' | 'refunded', now: number): PaymentState | null {
  if (!canResolve(payment, action)) return null;
  const at = afterAllMoney(payment, now);
  return action === 'accept'
    ? { ...payment, acceptedAt: at }
    : { ...payment, refundedAt: at, refundedBy: 'merchant' };
}

/** When something was decided about the money that is there. It may have come by a clock that was ahead. */
function afterAllMoney({ credits }: PaymentState, now: number): number {
  return credits.reduce((at, { firstSeenAt }) => (firstSeenAt > at ? firstSeenAt : at), now);
}

function withTip(payment: PaymentState, fact: Extract<PaymentFact, { type: 'tip' }>): PaymentState {
  const { coin, height, final } = fact;
  const moved = { ...payment, tips: { ...payment.tips, [coin]: height } };
  return final === undefined ? moved : { ...moved, final: { ...payment.final, [coin]: final } };
}

type SeenFact = Extract<PaymentFact, { type: 'output_seen' }>;
type ConfirmedFact = Extract<PaymentFact, { type: 'output_confirmed' }>;

function observeSeen(payment: PaymentState, book: CreditBook, fact: SeenFact): PaymentState {
  if (book.find(fact.ref) === undefined) {
    return withCredit(payment, book, newCredit(payment, fact, 'unconfirmed', null));
  }
  // A stale unconfirmed view must not take a confirmation back: only a reorg may.
  updateCredit(book, fact.ref, (credit) =>
    credit.state === 'gone' ? { ...credit, state: 'unconfirmed', height: null } : credit,
  );
  return payment;
}

function observeConfirmed(payment: PaymentState, book: CreditBook, fact: ConfirmedFact): PaymentState {
  if (book.find(fact.ref) === undefined) {
    return withCredit(payment, book, newCredit(payment, fact, 'confirmed', fact.height));
  }
  updateCredit(book, fact.ref, (credit) =>
    credit.state === 'confirmed' && credit.height === fact.height
      ? credit
      : { ...credit, state: 'confirmed', height: fact.height },
  );
  return payment;
}

/** Money first seen after the deadline proves that the time is up. */
function withCredit(payment: PaymentState, book: CreditBook, credit: PaymentCredit | null): PaymentState {
  if (credit === null) return payment;
  book.put(credit);
  const isOver = payment.closedAt === null && credit.firstSeenAt >= payment.expiresAt;
  return isOver ? { ...payment, closedAt: credit.firstSeenAt } : payment;
}

function observeGone(payment: PaymentState, book: CreditBook, ref: OutputRef): PaymentState {
  const lost = book.find(ref);
  if (lost === undefined || lost.state === 'gone') return payment;
  book.put({ ...lost, state: 'gone', height: null });
  // Money the merchant accepted is missing: without it a later crumb must not complete the payment.
  const wasAccepted = payment.acceptedAt !== null && lost.firstSeenAt <= payment.acceptedAt;
  return wasAccepted ? { ...payment, acceptedAt: null } : payment;
}

/** Everything alive was given back: the payment is refunded, and money that comes later is extra. */
function withRefunds(payment: PaymentState, now: number): PaymentState {
  if (payment.refundedAt !== null || !isGivenBack(liveCredits(payment), payment.refunds)) return payment;
  return { ...payment, refundedAt: afterAllMoney(payment, now), refundedBy: 'refunds' };
}

/** Only the money that was there when it was refunded decides: what came later was never given back. */
function withoutRefund(payment: PaymentState): PaymentState {
  const { refundedAt, refundedBy, refunds } = payment;
  if (refundedAt === null || refundedBy !== 'refunds') return payment;
  const meant = liveCredits(payment).filter((credit) => credit.firstSeenAt <= refundedAt);
  return isGivenBack(meant, refunds) ? payment : { ...payment, refundedAt: null, refundedBy: null };
}

function newCredit(
  payment: PaymentState,
  fact: SeenFact | ConfirmedFact,
  state: 'unconfirmed' | 'confirmed',
  height: number | null,
): PaymentCredit | null {
  const option = payment.options[fact.coin];
  if (option === undefined || fact.amount <= 0n) return null;
  const late = isLate(payment, fact.seenAt);
  return {
    coin: fact.coin,
    ref: fact.ref,
    amount: fact.amount,
    state,
    height,
    maturity: fact.maturity,
    firstSeenAt: fact.seenAt,
    late,
    due: late ? fact.currentDue : option.due,
  };
}

/** Money first seen at or after expiry, or after the cancellation, is late for ever. */
export function isLate(payment: Pick<PaymentState, 'expiresAt' | 'cancelledAt'>, seenAt: number): boolean {
  return seenAt >= payment.expiresAt || (payment.cancelledAt !== null && seenAt >= payment.cancelledAt);
}

function updateCredit(
  book: CreditBook,
  ref: OutputRef,
  change: (credit: PaymentCredit) => PaymentCredit,
): void {
  const credit = book.find(ref);
  if (credit === undefined) return;
  const next = change(credit);
  if (next !== credit) book.put(next);
}

/** The sums that decide. Late money counts towards the price only when the merchant takes it. */
interface Standing {
  readonly live: readonly PaymentCredit[];
  readonly counted: Coverage;
  readonly settled: Coverage;
  readonly settledOnTime: Coverage;
  /** Whatever the merchant decided: what has really arrived, to tell an excess. */
  readonly settledAll: Coverage;
  readonly countsLate: boolean;
  readonly hasLate: boolean;
  readonly hasOnTime: boolean;
}

function standingOf(payment: PaymentState): Standing {
  const live = liveCredits(payment);
  const takesLate = payment.latePolicy === 'accept' || payment.acceptedAt !== null;
  const counting = live.filter((credit) => !credit.late || takesLate);
  const settled = live.filter((credit) => isSettled(payment, credit));
  return {
    live,
    counted: coverageOf(counting),
    settled: coverageOf(settled.filter((credit) => !credit.late || takesLate)),
    settledOnTime: coverageOf(settled.filter((credit) => !credit.late)),
    settledAll: coverageOf(settled),
    countsLate: counting.some((credit) => credit.late),
    hasLate: live.some((credit) => credit.late),
    hasOnTime: live.some((credit) => !credit.late),
  };
}

/** Decides status and exception from what is known: the same knowledge gives the same answer. */
function settle(payment: PaymentState): PaymentState {
  const standing = standingOf(payment);
  const status = statusOf(payment, standing);
  const exception = exceptionOf(payment, standing, status);
  return { ...payment, status, exception };
}

function statusOf(payment: PaymentState, standing: Standing): PaymentStatus {
  if (payment.refundedAt !== null) return 'refunded';
  const paid = isPaid(standing.counted, payment.toleranceBps);
  if (isPaid(standing.settled, payment.toleranceBps)) return 'completed';
  if (payment.acceptedAt !== null && standing.live.length > 0) return 'completed';
  // A reorg that only moves the transaction does not undo a completion: the money is still alive.
  if (paid) return payment.status === 'completed' ? 'completed' : 'confirming';
  if (standing.hasOnTime) return 'underpaid';
  if (payment.cancelledAt !== null) return 'cancelled';
  if (payment.closedAt === null) return 'pending';
  if (payment.status === 'expired' || standing.live.length > 0) return 'expired';
  // Money that was seen and vanished is a failure, never a plain expiry.
  return payment.credits.length > 0 ? 'failed' : 'expired';
}

function exceptionOf(
  payment: PaymentState,
  standing: Standing,
  status: PaymentStatus,
): PaymentException | null {
  switch (status) {
    case 'refunded':
      return payment.exception;
    case 'completed':
      if (standing.countsLate && !isPaid(standing.settledOnTime, payment.toleranceBps)) return 'late';
      if (isOverpaid(standing.settledAll, payment.toleranceBps)) return excessKind(payment, standing);
      return isPaid(standing.counted, payment.toleranceBps) ? null : 'underpaid';
    case 'underpaid':
      if (standing.hasLate) return 'late';
      return payment.closedAt !== null || payment.cancelledAt !== null ? 'underpaid' : null;
    case 'confirming':
      return standing.countsLate ? 'late' : null;
    case 'expired':
    case 'cancelled':
    case 'failed':
      return standing.hasLate ? 'late' : null;
    case 'pending':
      return null;
    default:
      return assertNever(status);
  }
}

function excessKind(payment: PaymentState, standing: Standing): 'overpaid' | 'multiple' {
  const transactions = new Set(standing.live.map((credit) => credit.ref.txid));
  const twice = isPaidTwice(standing.settledAll, payment.toleranceBps);
  return transactions.size > 1 && twice ? 'multiple' : 'overpaid';
}

/** What the merchant must hear about, in the order it should be told. */
function eventsBetween(before: PaymentState, after: PaymentState): PaymentEventType[] {
  const events: PaymentEventType[] = [];
  const was = new Map(before.credits.map((credit) => [outputKey(credit.ref), credit]));
  const vanished = after.credits.some((credit) => {
    const earlier = was.get(outputKey(credit.ref));
    return credit.state === 'gone' && earlier !== undefined && earlier.state !== 'gone';
  });
  const arrived = after.credits.filter((credit) => {
    const earlier = was.get(outputKey(credit.ref));
    return credit.state !== 'gone' && (earlier === undefined || earlier.state === 'gone');
  });
  if (vanished && holdsLess(before, after)) events.push('payment.reversed');
  // Money for a refunded payment is as unexpected as late money: the merchant must look at it.
  if (arrived.some((credit) => credit.late || after.status === 'refunded')) events.push('payment.late');
  if (before.refundedAt !== null && after.refundedAt === null) events.push('payment.refund_failed');
  if (before.status !== after.status) {
    const event = statusEvent(before, after);
    if (event !== null) events.push(event);
  } else if (after.status === 'underpaid' && (arrived.length > 0 || before.exception !== after.exception)) {
    events.push('payment.underpaid');
  }
  if (becameOverpaid(before, after)) events.push('payment.overpaid');
  return events;
}

/** True when less money of some coin is alive than before. */
function holdsLess(before: PaymentState, after: PaymentState): boolean {
  return COINS.some((coin) => liveAmount(after, coin) < liveAmount(before, coin));
}

function liveAmount(payment: PaymentState, coin: Coin): bigint {
  return liveCredits(payment)
    .filter((credit) => credit.coin === coin)
    .reduce((sum, credit) => sum + credit.amount, 0n);
}

/** Told again whenever more settled money comes on top, so that no excess stays unmentioned. */
function becameOverpaid(before: PaymentState, after: PaymentState): boolean {
  if (after.status !== 'completed') return false;
  const now = standingOf(after).settledAll;
  if (!isOverpaid(now, after.toleranceBps)) return false;
  return before.status !== 'completed' || coversMore(now, standingOf(before).settledAll);
}

/**
 * The event of a status change. Falling back to `pending`, `expired` or `cancelled` because money
 * vanished is told by payment.reversed alone: a merchant hears of an expiry or a cancellation
 * once, and of an expiry never after money was seen.
 */
function statusEvent(before: PaymentState, after: PaymentState): PaymentEventType | null {
  switch (after.status) {
    case 'pending':
      return null;
    case 'expired':
      return after.credits.length === 0 ? 'payment.expired' : null;
    case 'cancelled':
      return before.cancelledAt === null ? 'payment.cancelled' : null;
    case 'underpaid':
    case 'confirming':
    case 'completed':
    case 'failed':
    case 'refunded':
      return `payment.${after.status}`;
    default:
      return assertNever(after.status);
  }
}
