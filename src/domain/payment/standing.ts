import { COINS, type Coin } from '../coins.ts';
import { assertNever } from '../errors.ts';
import { coverageOf, isOverpaid, isPaid, isPaidTwice, isSettled, type Coverage } from './coverage.ts';
import type { CoinSums, PaymentCredit, PaymentException, PaymentState, PaymentStatus } from './types.ts';

/** Credits that count: everything observed that is not gone. */
export function liveCredits(payment: PaymentState): readonly PaymentCredit[] {
  return payment.credits.filter((credit) => credit.state !== 'gone');
}

/** Atoms per coin of these credits. */
export function sumsOf(credits: readonly PaymentCredit[]): CoinSums {
  const sums: Partial<Record<Coin, bigint>> = {};
  for (const { coin, amount } of credits) sums[coin] = (sums[coin] ?? 0n) + amount;
  return sums;
}

/** True when these sums reach those in every coin. */
export function reaches(sums: CoinSums, needed: CoinSums): boolean {
  return COINS.every((coin) => (sums[coin] ?? 0n) >= (needed[coin] ?? 0n));
}

/** Money covered by the merchant's acceptance: the credits present at that time. */
function acceptedAmong(payment: PaymentState, credits: readonly PaymentCredit[]): CoinSums {
  const { acceptedAt } = payment;
  return acceptedAt === null ? {} : sumsOf(credits.filter(({ firstSeenAt }) => firstSeenAt <= acceptedAt));
}

/** Whether the merchant's acceptance holds: of the money it covered, at least the accepted sums are alive. */
export function isAccepted(payment: PaymentState): boolean {
  const live = liveCredits(payment);
  return (
    payment.acceptedAt !== null && live.length > 0 && reaches(acceptedAmong(payment, live), payment.accepted)
  );
}

/** The sums that decide the status. Late money counts towards the price only when the merchant accepts it. */
export interface Standing {
  readonly live: readonly PaymentCredit[];
  readonly counted: Coverage;
  readonly settled: Coverage;
  readonly settledOnTime: Coverage;
  /** All settled money, whatever the merchant decided, for detecting an excess. */
  readonly settledAll: Coverage;
  readonly countsLate: boolean;
  readonly hasLate: boolean;
  readonly hasOnTime: boolean;
  readonly isAccepted: boolean;
  /** All money that the merchant accepted has its confirmations. */
  readonly isAcceptedSettled: boolean;
}

/** Sums up the known money of a payment. */
export function coverageState(payment: PaymentState): Standing {
  const live = liveCredits(payment);
  const accepted = isAccepted(payment);
  const takesLate = payment.latePolicy === 'accept' || accepted;
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
    isAccepted: accepted,
    isAcceptedSettled: accepted && reaches(acceptedAmong(payment, settled), payment.accepted),
  };
}

/** Derives status and exception from the observations alone, so the same observations give the same result. */
export function settle(payment: PaymentState): PaymentState {
  const standing = coverageState(payment);
  const status = statusOf(payment, standing);
  const exception = exceptionOf(payment, standing, status);
  return { ...payment, status, exception };
}

function statusOf(payment: PaymentState, standing: Standing): PaymentStatus {
  if (payment.refundedAt !== null) return 'refunded';
  const paid = isPaid(standing.counted, payment.toleranceBps);
  if (isPaid(standing.settled, payment.toleranceBps) || standing.isAcceptedSettled) return 'completed';
  // A reorg that only moves the transaction does not undo a completion: the money is still alive.
  if (paid || standing.isAccepted) return payment.status === 'completed' ? 'completed' : 'confirming';
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
  const isFull = isPaid(standing.counted, payment.toleranceBps);
  switch (status) {
    case 'refunded':
      return payment.exception;
    case 'completed':
      if (standing.countsLate && !isPaid(standing.settledOnTime, payment.toleranceBps)) return 'late';
      if (isOverpaid(standing.settledAll, payment.toleranceBps)) return excessKind(payment, standing);
      return isFull ? null : 'underpaid';
    case 'underpaid':
      if (standing.hasLate) return 'late';
      return payment.closedAt !== null || payment.cancelledAt !== null ? 'underpaid' : null;
    case 'confirming':
      if (standing.countsLate) return 'late';
      return isFull ? null : 'underpaid';
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
