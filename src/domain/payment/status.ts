import { assertNever } from '../errors.ts';
import { isAccepted } from './acceptance.ts';
import { computeBalance, type Balance } from './balance.ts';
import { isOverpaid, isPaid, isPaidTwice } from './paid-share.ts';
import { liveCredits, hasReversedMoney, sumByCoin } from './credits.ts';
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
  const sums = sumMoney(payment);
  const status = payment.refundedAt === null ? deriveMoneyStatus(payment, sums) : 'refunded';
  const exception = deriveException(payment, sums, status);
  return { ...payment, status, exception };
}

/** The status without regard to a full refund. */
function deriveMoneyStatus(payment: PaymentState, sums: MoneySums): Exclude<PaymentStatus, 'refunded'> {
  const { toleranceBps } = payment;
  if (isPaid(sums.settled.counted, toleranceBps) || sums.isAcceptedSettled) return 'completed';
  // A reorg that only moves the transaction does not undo a completion, because the money is still live.
  if (isPaid(sums.balance.counted, toleranceBps) || sums.isAccepted) {
    return payment.status === 'completed' ? 'completed' : 'confirming';
  }
  if (sums.hasInTime) return 'underpaid';
  if (payment.cancelledAt !== null) return 'cancelled';
  if (payment.closedAt === null) return 'pending';
  if (payment.status === 'expired' || sums.live.length > 0) return 'expired';
  // Money that was seen and vanished is a failure, not an expiry.
  return payment.credits.length > 0 ? 'failed' : 'expired';
}

/**
 * Whether the order is complete, or was when all its money was refunded: from then on, a refund is the
 * merchant's decision.
 */
export function isComplete(payment: PaymentState, sums: MoneySums = sumMoney(payment)): boolean {
  return deriveMoneyStatus(payment, sums) === 'completed';
}

/**
 * The settled money that completes an order, recorded with a refund that the merchant makes now. Null while
 * it is not complete.
 */
export function completedBy(payment: PaymentState): Completion | null {
  const sums = sumMoney(payment);
  if (!isComplete(payment, sums)) return null;
  const { toleranceBps } = payment;
  const isPaidSettled = isPaid(sums.settled.counted, toleranceBps);
  // In a reorganisation that moves the transactions, the live part of them.
  const isMoved = !isPaidSettled && !sums.isAcceptedSettled;
  return {
    sums: sumByCoin(isMoved ? sums.live : settledCredits(payment)),
    byAcceptance: isMoved ? !isPaid(sums.balance.counted, toleranceBps) : !isPaidSettled,
  };
}

/**
 * The missing share of the price: none once the order is complete or the merchant has accepted the received
 * money.
 */
export function missingShare(payment: PaymentState): Share {
  const sums = sumMoney(payment);
  if (sums.isAccepted || isComplete(payment, sums)) return NO_SHARE;
  const missing = subtractShares(WHOLE_PRICE, sums.balance.left);
  return missing.numerator > 0n ? missing : NO_SHARE;
}

function deriveException(
  payment: PaymentState,
  sums: MoneySums,
  status: PaymentStatus,
): PaymentException | null {
  const { toleranceBps } = payment;
  const isFull = isPaid(sums.balance.counted, toleranceBps);
  switch (status) {
    case 'refunded':
      return payment.exception;
    case 'completed':
      if (sums.countsLate && !isPaid(sums.settled.countedOnTime, toleranceBps)) return 'late';
      if (hasExcess(payment, sums.settled)) return excessKind(payment, sums);
      return isFull ? null : 'underpaid';
    case 'underpaid': {
      const isEnded = payment.closedAt !== null || payment.cancelledAt !== null;
      // While the payment is open, the payer is asked for the remainder, and the merchant for no decision.
      if (!isEnded && !isPaid(sums.balance.left, toleranceBps)) return lostMoney(payment);
      if (sums.hasLate) return 'late';
      return isEnded ? 'underpaid' : null;
    }
    case 'confirming':
      if (sums.countsLate) return 'late';
      return isFull ? null : 'underpaid';
    case 'expired':
    case 'cancelled':
    case 'failed':
      return sums.hasLate ? 'late' : lostMoney(payment);
    case 'pending':
      return lostMoney(payment);
    default:
      return assertNever(status);
  }
}

/**
 * Whether the payer can still pay, by status and exception: an underpaid payment with another exception has
 * ended, and waits for a decision of the merchant.
 */
export function isPayable({
  status,
  exception,
}: {
  readonly status: string;
  readonly exception: string | null;
}): boolean {
  const isOpen = exception === null || exception === 'reversed';
  return status === 'pending' || (status === 'underpaid' && isOpen);
}

/** The exception of an order that lacks money which was seen before. */
function lostMoney(payment: PaymentState): 'reversed' | null {
  return hasReversedMoney(payment) ? 'reversed' : null;
}

/** Whether more than the price and the tolerance remains. */
export function hasExcess({ toleranceBps }: PaymentState, { left, received }: Balance): boolean {
  return isOverpaid({ ...left, coarsest: received.coarsest }, toleranceBps);
}

function excessKind(payment: PaymentState, sums: MoneySums): 'overpaid' | 'multiple' {
  const transactions = new Set(sums.live.map((credit) => credit.ref.txid));
  const twice = isPaidTwice(sums.settled.left, payment.toleranceBps);
  return transactions.size > 1 && twice ? 'multiple' : 'overpaid';
}
