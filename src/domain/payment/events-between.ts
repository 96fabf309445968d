import { COINS } from '../coins.ts';
import { outputKey } from '../chain.ts';
import { assertNever } from '../errors.ts';
import { sumCoverage } from './paid-share.ts';
import { liveCredits, sumByCoin } from './credits.ts';
import { isMore } from './share.ts';
import { hasExcess, sumMoney } from './status.ts';
import type { PaymentCredit, PaymentEventType, PaymentState, Share } from './types.ts';

/** Events that result from a change, in emission order. */
export function eventsBetween(before: PaymentState, after: PaymentState): PaymentEventType[] {
  if (before.supersededBy !== after.supersededBy) return ['payment.superseded'];
  const events: PaymentEventType[] = [];
  const was = new Map(before.credits.map((credit) => [outputKey(credit.ref), credit]));
  const earlier = (credit: PaymentCredit): PaymentCredit | undefined => was.get(outputKey(credit.ref));
  const live = liveCredits(after);
  const arrived = live.filter((credit) => (earlier(credit)?.state ?? 'gone') === 'gone');
  if (isReversal(before, after)) events.push('payment.reversed');
  // Money for a refunded payment is as unexpected as late money, so the merchant must review it.
  const isLateNews =
    arrived.some((credit) => credit.late || after.status === 'refunded') ||
    live.some((credit) => becameLate(credit, earlier(credit)));
  if (isLateNews) events.push('payment.late');
  const isNoLongerRefunded = before.refundedAt !== null && after.refundedAt === null;
  // Dropped money that returned also ends it, and is not a failure.
  if (isNoLongerRefunded && before.refunds !== after.refunds) events.push('payment.refund_failed');
  if (before.status !== after.status) {
    const event = statusEvent(before, after);
    if (event !== null) events.push(event);
  } else if (after.status === 'underpaid' && (arrived.length > 0 || before.exception !== after.exception)) {
    events.push('payment.underpaid');
  }
  if (excessToReport(before, after) !== null) events.push('payment.overpaid');
  return events;
}

/** Whether a credit changed from on time to late, or to a later rate. */
function becameLate(credit: PaymentCredit, earlier: PaymentCredit | undefined): boolean {
  if (!credit.late || earlier === undefined) return false;
  return !earlier.late || (earlier.due !== null && credit.due !== earlier.due);
}

/** Whether money vanished without an equal replacement: the condition of `payment.reversed`. */
function isReversal(before: PaymentState, after: PaymentState): boolean {
  const was = new Map(before.credits.map(({ ref, state }) => [outputKey(ref), state]));
  const vanished = after.credits.some(
    ({ ref, state }) => state === 'gone' && (was.get(outputKey(ref)) ?? 'gone') !== 'gone',
  );
  return vanished && hasLostMoney(before, after);
}

/** True when less live money of some coin remains than before. */
function hasLostMoney(before: PaymentState, after: PaymentState): boolean {
  const [sumsBefore, sumsAfter] = [sumByCoin(liveCredits(before)), sumByCoin(liveCredits(after))];
  return COINS.some((coin) => (sumsAfter[coin] ?? 0n) < (sumsBefore[coin] ?? 0n));
}

/**
 * The largest settled sum that `payment.overpaid` has reported, minus reversals since: a reversal subtracts
 * the vanished money, so that a new excess is reported. Money that a reorganisation may only have moved still
 * counts.
 */
export function reportedExcessAfterReversals(before: PaymentState, after: PaymentState): Share | null {
  const { reportedExcess } = before;
  if (reportedExcess === null || !isReversal(before, after)) return reportedExcess;
  const covered = sumCoverage(liveCredits(after).filter(({ confirmedAt }) => confirmedAt !== null));
  const { numerator, denominator } = covered;
  return isMore(reportedExcess, covered) ? { numerator, denominator } : reportedExcess;
}

/**
 * The settled money of a completed payment if it exceeds the price (after refunds) and the excess already
 * reported and not reversed. Reading blocks again, after a reorganisation or in a rescan, reports nothing
 * new.
 */
export function excessToReport(before: PaymentState, after: PaymentState): Share | null {
  if (after.status !== 'completed') return null;
  const { settled: balance } = sumMoney(after);
  const { received: settled } = balance;
  const reported = reportedExcessAfterReversals(before, after);
  if (reported !== null && !isMore(settled, reported)) return null;
  if (!hasExcess(after, balance)) return null;
  return { numerator: settled.numerator, denominator: settled.denominator };
}

/**
 * The event of a status change. A change back to `pending`, `expired` or `cancelled` because money
 * vanished emits payment.reversed only: an expiry or a cancellation is reported once, and an
 * expiry never after money was seen.
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
