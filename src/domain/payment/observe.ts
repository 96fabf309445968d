import { type OutputRef } from '../chain.ts';
import { assertNever } from '../errors.ts';
import type { CreditIndex } from './credit-index.ts';
import { acceptanceProblem } from './acceptance.ts';
import { liveCredits, sumByCoin } from './credits.ts';
import { withRate } from './refund-value.ts';
import { dueShare, termsFor, type CreditTerms } from './terms.ts';
import type { PaymentCredit, PaymentFact, PaymentState } from './types.ts';

type SeenFact = Extract<PaymentFact, { type: 'output_seen' }>;
type ConfirmedFact = Extract<PaymentFact, { type: 'output_confirmed' }>;

/** Folds a fact into the observations; returns the same payment and book if the fact changes nothing. */
export function observe(
  payment: PaymentState,
  book: CreditIndex,
  fact: PaymentFact,
  now: number,
): PaymentState {
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
      updateCredit(book, fact.ref, (credit) =>
        credit.state === 'gone' ? credit : { ...credit, state: 'gone', height: null },
      );
      return payment;
    case 'late_quoted':
      return observeRate(payment, book, fact);
    case 'tip':
      return withTip(payment, fact);
    case 'time_passed':
      return payment.closedAt === null && now >= payment.expiresAt ? { ...payment, closedAt: now } : payment;
    case 'grace_expired':
      markUnconfirmedLate(payment, book, fact, now);
      return payment;
    case 'cancel':
      return canCancel(book.into(payment)) ? { ...payment, cancelledAt: now } : payment;
    case 'superseded':
      return payment.supersededBy === null
        ? { ...payment, supersededBy: fact.by, cancelledAt: payment.cancelledAt ?? now }
        : payment;
    case 'refunds_changed':
      return { ...payment, refunds: fact.refunds };
    case 'resolve':
      return resolve(book.into(payment), book, fact.action, now) ?? payment;
    default:
      return assertNever(fact);
  }
}

/** Whether the merchant may still cancel: no money was received and no decision was made. */
function canCancel(payment: PaymentState): boolean {
  return payment.status === 'pending' && liveCredits(payment).length === 0;
}

/** Whether `resolve` applies: there is money that the machine does not accept automatically. */
function canResolve(payment: PaymentState, action: 'accept' | 'refunded'): boolean {
  if (action === 'accept') return acceptanceProblem(payment) === null;
  return payment.refundedAt === null && payment.credits.length > 0;
}

/** Null when there is nothing to resolve. */
function resolve(
  payment: PaymentState,
  book: CreditIndex,
  action: 'accept' | 'refunded',
  now: number,
): PaymentState | null {
  if (!canResolve(payment, action)) return null;
  const position = book.takePosition();
  const sums = sumByCoin(liveCredits(payment));
  // A decision covers the live money only: money that is gone gets a later position, in case it returns.
  for (const credit of payment.credits) {
    if (credit.state === 'gone') book.put({ ...credit, position: book.takePosition() });
  }
  return action === 'accept'
    ? { ...payment, acceptedAt: now, acceptedPosition: position, accepted: sums }
    : { ...payment, refundedAt: now, refundedPosition: position, refundedBy: 'merchant', returned: sums };
}

function withTip(payment: PaymentState, fact: Extract<PaymentFact, { type: 'tip' }>): PaymentState {
  const { coin, height, final } = fact;
  const moved = { ...payment, tips: { ...payment.tips, [coin]: height } };
  return final === undefined ? moved : { ...moved, final: { ...payment.final, [coin]: final } };
}

/** Late money, and its refunded part, is valued from now on. */
function observeRate(
  payment: PaymentState,
  book: CreditIndex,
  { ref, due }: Extract<PaymentFact, { type: 'late_quoted' }>,
): PaymentState {
  const credit = book.find(ref);
  if (credit === undefined || !credit.late || credit.due !== null || due <= 0n) return payment;
  const priced = { ...credit, due };
  book.put(priced);
  const refunds = withRate(payment.refunds, priced);
  return refunds === payment.refunds ? payment : { ...payment, refunds };
}

/** Marks money late that has stayed unconfirmed for too long. */
function markUnconfirmedLate(
  payment: PaymentState,
  book: CreditIndex,
  { coin, currentDue, via }: Extract<PaymentFact, { type: 'grace_expired' }>,
  now: number,
): void {
  const terms = termsFor(payment, via);
  for (const { ref } of book.all()) {
    updateCredit(book, ref, (credit) =>
      credit.coin === coin &&
      credit.via === via &&
      credit.state === 'unconfirmed' &&
      !credit.late &&
      isOverdue(terms, credit, now)
        ? { ...credit, late: true, due: currentDue }
        : credit,
    );
  }
}

function observeSeen(payment: PaymentState, book: CreditIndex, fact: SeenFact): PaymentState {
  if (book.find(fact.ref) === undefined) {
    return withCredit(payment, book, newCredit(payment, book, fact));
  }
  // A stale mempool view must not undo a confirmation: only a reorganisation may.
  updateCredit(book, fact.ref, (credit) =>
    credit.state === 'gone' ? { ...credit, state: 'unconfirmed', height: null } : credit,
  );
  return payment;
}

function observeConfirmed(payment: PaymentState, book: CreditIndex, fact: ConfirmedFact): PaymentState {
  const inBlock = { state: 'confirmed', height: fact.height } as const;
  if (book.find(fact.ref) === undefined) {
    const credit = newCredit(payment, book, fact);
    return withCredit(payment, book, credit && { ...credit, ...inBlock, confirmedAt: fact.seenAt });
  }
  updateCredit(book, fact.ref, (credit) => {
    if (credit.state === 'confirmed' && credit.height === fact.height) return credit;
    const confirmed = { ...credit, ...inBlock, confirmedAt: credit.confirmedAt ?? fact.seenAt };
    const terms = termsFor(payment, credit.via);
    if (isOverdue(terms, credit, fact.seenAt)) return { ...confirmed, late: true, due: fact.currentDue };
    const option = terms.options[credit.coin];
    if (option === undefined || !isProvenInTime(terms, credit, fact)) return confirmed;
    return { ...confirmed, late: false, due: option.due };
  });
  return payment;
}

/** Whether money first seen too late was mined before the deadline, because the node showed it late. */
function isProvenInTime(
  terms: CreditTerms,
  { late, confirmedAt, firstSeenAt }: PaymentCredit,
  { cameBefore }: ConfirmedFact,
): boolean {
  if (!late || confirmedAt !== null || cameBefore === undefined || terms.priceShare === null) return false;
  const cameAt = Math.min(firstSeenAt, cameBefore);
  return cameAt < terms.expiresAt && (terms.cancelledAt === null || cameAt < terms.cancelledAt);
}

/** Money first seen after the deadline proves that the deadline has passed. */
function withCredit(payment: PaymentState, book: CreditIndex, credit: PaymentCredit | null): PaymentState {
  if (credit === null) return payment;
  book.put(credit);
  const isOver = payment.closedAt === null && credit.firstSeenAt >= payment.expiresAt;
  return isOver ? { ...payment, closedAt: credit.firstSeenAt } : payment;
}

function newCredit(
  payment: PaymentState,
  book: CreditIndex,
  fact: SeenFact | ConfirmedFact,
): PaymentCredit | null {
  const { via } = fact;
  const terms = termsFor(payment, via);
  const option = terms.options[fact.coin];
  if (option === undefined || fact.amount <= 0n) return null;
  const late = terms.priceShare === null || isLate(terms, fact.seenAt);
  const credit = {
    coin: fact.coin,
    ref: fact.ref,
    amount: fact.amount,
    state: 'unconfirmed' as const,
    height: null,
    maturity: fact.maturity,
    firstSeenAt: fact.seenAt,
    confirmedAt: null,
    late,
    due: late ? fact.currentDue : option.due,
    ...(via === undefined ? {} : { via, ...dueShare(terms) }),
  };
  const former = credit.maturity > 1 && book.all().find((other) => isMinedAgain(payment, other, credit));
  if (former === false || former === undefined) return { ...credit, position: book.takePosition() };
  const { position, firstSeenAt, late: wasLate, due } = former;
  return { ...credit, position, firstSeenAt, late: wasLate, due };
}

/**
 * Whether money that exists in its block only (a coinbase, a peg-out) was mined again by a competing block under
 * another transaction id: it is the same money and keeps its time of first sight.
 */
function isMinedAgain(
  payment: PaymentState,
  former: PaymentCredit,
  credit: Omit<PaymentCredit, 'position'>,
): boolean {
  return (
    former.maturity === credit.maturity &&
    former.state !== 'confirmed' &&
    former.coin === credit.coin &&
    former.via === credit.via &&
    former.amount === credit.amount &&
    credit.firstSeenAt < confirmBy(termsFor(payment, former.via), former)
  );
}

/** New money is late after expiry or cancellation, unless its block proves that it arrived earlier. */
export function isLate(payment: Pick<PaymentState, 'expiresAt' | 'cancelledAt'>, seenAt: number): boolean {
  return seenAt >= payment.expiresAt || payment.cancelledAt !== null;
}

/**
 * Whether money that was never confirmed has waited too long for a block: its price is then set on the day of
 * confirmation, because otherwise the payer would hold a free option on the rate.
 */
export function isOverdue(
  payment: Pick<PaymentState, 'expiresAt' | 'unconfirmedGraceMs'>,
  credit: Pick<PaymentCredit, 'firstSeenAt' | 'confirmedAt'>,
  at: number,
): boolean {
  return credit.confirmedAt === null && at >= confirmBy(payment, credit);
}

function confirmBy(
  { expiresAt, unconfirmedGraceMs }: Pick<PaymentState, 'expiresAt' | 'unconfirmedGraceMs'>,
  { firstSeenAt }: Pick<PaymentCredit, 'firstSeenAt'>,
): number {
  return Math.max(expiresAt, firstSeenAt) + unconfirmedGraceMs;
}

function updateCredit(
  book: CreditIndex,
  ref: OutputRef,
  change: (credit: PaymentCredit) => PaymentCredit,
): void {
  const credit = book.find(ref);
  if (credit === undefined) return;
  const next = change(credit);
  if (next !== credit) book.put(next);
}
