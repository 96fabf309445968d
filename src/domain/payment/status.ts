import { assertNever } from '../errors.ts';
import { isAccepted } from './acceptance.ts';
import { computeBalance, type Balance } from './balance.ts';
import { isOverpaid, isPaid, isPaidTwice } from './coverage.ts';
import { liveCredits, sumByCoin } from './credits.ts';
import { settledCredits } from './depth.ts';
import { isLate } from './observe.ts';
import { NO_SHARE, subtractShares, WHOLE_PRICE } from './share.ts';
import type {
  Completion,
  PaymentCredit,
  PaymentException,
  PaymentState,
  PaymentStatus,
  Share,
} from './types.ts';

/**
 * The sums that determine the status. Late money counts towards the price only when the merchant accepts it.
 */
export interface MoneySums {
  readonly live: readonly PaymentCredit[];
  /** Of all live money. */
  readonly balance: Balance;
  /** Of the settled money. */
  readonly settled: Balance;
  readonly hasLate: boolean;
  /** Money arrived before the order ended: in time, or late for a payment that this one had renewed. */
  readonly hasInTime: boolean;
  readonly countsLate: boolean;
  readonly isAccepted: boolean;
  /** All accepted money has its confirmations. */
  readonly isAcceptedSettled: boolean;
}

/** Sums up the known money of a payment. */
export function sumMoney(payment: PaymentState): MoneySums {
  const live = liveCredits(payment);
  const settled = settledCredits(payment);
  const accepted = isAccepted(payment);
  const hasLate = live.some((credit) => credit.late);
  return {
    live,
    balance: computeBalance(payment, live),
    settled: computeBalance(payment, settled),
    hasLate,
    hasInTime: live.some((credit) => isInTime(payment, credit)),
    countsLate: hasLate && (payment.latePolicy === 'accept' || accepted),
    isAccepted: accepted,
    isAcceptedSettled: accepted && isAccepted(payment, settled),
  };
}

/** Late money of a superseded payment pays for an open one; only its price is the rate at receipt. */
function isInTime(payment: PaymentState, { late, via, firstSeenAt }: PaymentCredit): boolean {
  return !late || (via !== undefined && !isLate(payment, firstSeenAt));
}

/** Derives status and exception from the observations alone, so the same observations give the same result. */
export function deriveStatus(payment: PaymentState): PaymentState {
  // Its money counts for the payment that took its place.
  if (payment.supersededBy !== null) return { ...payment, status: 'cancelled', exception: null };
  const standing = sumMoney(payment);
  const status = payment.refundedAt === null ? statusOf(payment, standing) : 'refunded';
  const exception = exceptionOf(payment, standing, status);
  return { ...payment, status, exception };
}

/** The status without regard to a full refund. */
function statusOf(payment: PaymentState, standing: MoneySums): Exclude<PaymentStatus, 'refunded'> {
  const { toleranceBps } = payment;
  if (isPaid(standing.settled.counted, toleranceBps) || standing.isAcceptedSettled) return 'completed';
  // A reorg that only moves the transaction does not undo a completion, because the money is still live.
  if (isPaid(standing.balance.counted, toleranceBps) || standing.isAccepted) {
    return payment.status === 'completed' ? 'completed' : 'confirming';
  }
  if (standing.hasInTime) return 'underpaid';
  if (payment.cancelledAt !== null) return 'cancelled';
  if (payment.closedAt === null) return 'pending';
  if (payment.status === 'expired' || standing.live.length > 0) return 'expired';
  // Money that was seen and vanished is a failure, not an expiry.
  return payment.credits.length > 0 ? 'failed' : 'expired';
}

/**
 * Whether the order is complete, or was when all its money was refunded: from then on, a refund is the
 * merchant's decision.
 */
export function isComplete(payment: PaymentState, standing: MoneySums = sumMoney(payment)): boolean {
  return statusOf(payment, standing) === 'completed';
}

/**
 * The settled money that completes an order, recorded with a refund that the merchant makes now. Null while
 * it is not complete.
 */
export function completedBy(payment: PaymentState): Completion | null {
  const standing = sumMoney(payment);
  if (!isComplete(payment, standing)) return null;
  const { toleranceBps } = payment;
  const isPaidSettled = isPaid(standing.settled.counted, toleranceBps);
  // In a reorganisation that moves the transactions, the live part of them.
  const isMoved = !isPaidSettled && !standing.isAcceptedSettled;
  return {
    sums: sumByCoin(isMoved ? standing.live : settledCredits(payment)),
    byAcceptance: isMoved ? !isPaid(standing.balance.counted, toleranceBps) : !isPaidSettled,
  };
}

/**
 * The missing share of the price: none once the order is complete or the merchant has accepted the received
 * money.
 */
export function missingShare(payment: PaymentState): Share {
  const standing = sumMoney(payment);
  if (standing.isAccepted || isComplete(payment, standing)) return NO_SHARE;
  const missing = subtractShares(WHOLE_PRICE, standing.balance.left);
  return missing.numerator > 0n ? missing : NO_SHARE;
}

function exceptionOf(
  payment: PaymentState,
  standing: MoneySums,
  status: PaymentStatus,
): PaymentException | null {
  const { toleranceBps } = payment;
  const isFull = isPaid(standing.balance.counted, toleranceBps);
  switch (status) {
    case 'refunded':
      return payment.exception;
    case 'completed':
      if (standing.countsLate && !isPaid(standing.settled.countedOnTime, toleranceBps)) return 'late';
      if (hasExcess(payment, standing.settled)) return excessKind(payment, standing);
      return isFull ? null : 'underpaid';
    case 'underpaid': {
      const isEnded = payment.closedAt !== null || payment.cancelledAt !== null;
      // While the payment is open, the payer is asked for the remainder, and the merchant for no decision.
      if (!isEnded && !isPaid(standing.balance.left, toleranceBps)) return null;
      if (standing.hasLate) return 'late';
      return isEnded ? 'underpaid' : null;
    }
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

/** Whether more than the price and the tolerance remains. */
export function hasExcess({ toleranceBps }: PaymentState, { left, received }: Balance): boolean {
  return isOverpaid({ ...left, coarsest: received.coarsest }, toleranceBps);
}

function excessKind(payment: PaymentState, standing: MoneySums): 'overpaid' | 'multiple' {
  const transactions = new Set(standing.live.map((credit) => credit.ref.txid));
  const twice = isPaidTwice(standing.settled.left, payment.toleranceBps);
  return transactions.size > 1 && twice ? 'multiple' : 'overpaid';
}
