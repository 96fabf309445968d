import type { Coin } from '../coins.ts';
import { isAccepted } from './acceptance.ts';
import { sumCoverage, type Coverage } from './paid-share.ts';
import { sumAtoms, liveCredits, coversAmounts, sumByCoin } from './credits.ts';
import { valueOfEachRefund, shareOfAtoms } from './refund-value.ts';
import { addShares, isMore, minShare, NO_SHARE, subtractShares } from './share.ts';
import type { PaymentCredit, PaymentRefund, PaymentState, Share } from './types.ts';

/**
 * The money of an order in exact shares of its price. Every paid, due, refunded or displayed amount derives
 * from it; no other code adds up credits and refunds.
 */
export interface Balance {
  /** Live money at the rates that apply to it: the locked rate, or for late money the rate at receipt. */
  readonly received: Coverage;
  /** Received minus refunded. Negative where a chain removed money that had already been refunded. */
  readonly kept: Share;
  /** Claimed by the payer; no send is signed yet. */
  readonly promised: Share;
  /** kept - promised. */
  readonly left: Share;
  /**
   * Counts towards the price: excludes late money that awaits the merchant's decision (refunds use it up
   * first), and does not subtract refunds made after the order was complete.
   */
  readonly counted: Share;
  /** As `counted`, without late money. */
  readonly countedOnTime: Share;
}

/**
 * Computes the balance from some of a payment's live credits: all of them by default, or only the settled
 * ones.
 */
export function computeBalance(
  payment: PaymentState,
  credits: readonly PaymentCredit[] = liveCredits(payment),
): Balance {
  const received = sumCoverage(credits);
  const onTime = sumCoverage(credits.filter(({ late }) => !late));
  const takesLate = payment.latePolicy === 'accept' || isAccepted(payment);
  const { returned, promised, owedAgain } = sumRefunds(payment, credits);
  const kept = subtractShares(withoutExternalReturn(payment, credits, received), returned);
  const rest = subtractShares(received, owedAgain);
  return {
    received,
    kept,
    promised,
    left: subtractShares(kept, promised),
    counted: minShare(takesLate ? received : onTime, rest),
    countedOnTime: minShare(onTime, rest),
  };
}

interface RefundSums {
  readonly returned: Share;
  readonly promised: Share;
  /** The part of both that the payer owes again. */
  readonly owedAgain: Share;
}

function sumRefunds(payment: PaymentState, credits: readonly PaymentCredit[]): RefundSums {
  let [returned, promised, owedAgain] = [NO_SHARE, NO_SHARE, NO_SHARE];
  const given = valueOfEachRefund(payment);
  for (const refund of payment.refunds) {
    if (refund.stage === 'failed' || isBeforeReturn(payment, refund.position)) continue;
    const { value } = given(refund);
    if (refund.stage === 'promised') promised = addShares(promised, value);
    else returned = addShares(returned, value);
    if (!staysComplete(payment, refund, credits)) owedAgain = addShares(owedAgain, value);
  }
  return { returned, promised, owedAgain };
}

/**
 * Whether a refund was made while the order was complete, and these credits include the money that completed
 * it or as much.
 */
function staysComplete(
  payment: PaymentState,
  { completedBy }: PaymentRefund,
  credits: readonly PaymentCredit[],
): boolean {
  if (completedBy === null || !coversAmounts(sumByCoin(credits), completedBy.sums)) return false;
  return !completedBy.byAcceptance || isAccepted(payment, credits);
}

/** The received money without the part that the merchant recorded as refunded elsewhere. */
function withoutExternalReturn(
  payment: PaymentState,
  credits: readonly PaymentCredit[],
  received: Share,
): Share {
  if (payment.refundedBy !== 'merchant') return received;
  const coins = new Set(credits.map(({ coin }) => coin));
  return [...coins].reduce((sum, coin) => {
    const coinCredits = credits.filter(
      (credit) => credit.coin === coin && !isBeforeReturn(payment, credit.position),
    );
    const replaced = shareOfAtoms(coinCredits, atomsReplacingReturn(payment, coin));
    return addShares(sum, subtractShares(sumCoverage(coinCredits), replaced));
  }, NO_SHARE);
}

/** Whether an item became known before the merchant recorded the money as refunded elsewhere. */
export function isBeforeReturn(
  { refundedBy, refundedPosition }: Pick<PaymentState, 'refundedBy' | 'refundedPosition'>,
  position: number | null,
): boolean {
  return (
    refundedBy === 'merchant' &&
    refundedPosition !== null &&
    position !== null &&
    position <= refundedPosition
  );
}

/**
 * Atoms that were recorded as refunded elsewhere and are gone since: the same amount of later money only
 * replaces them.
 */
export function atomsReplacingReturn(payment: PaymentState, coin: Coin): bigint {
  if (payment.refundedBy !== 'merchant') return 0n;
  const credits = liveCredits(payment).filter(
    (credit) => credit.coin === coin && isBeforeReturn(payment, credit.position),
  );
  const gone = (payment.returned[coin] ?? 0n) - sumAtoms(credits);
  return gone > 0n ? gone : 0n;
}

/** True when the refunds that nodes accepted cover these credits: in atoms of every coin, or in value. */
export function isFullyRefunded(payment: PaymentState, credits: readonly PaymentCredit[]): boolean {
  if (credits.length === 0) return false;
  const accepted = payment.refunds.filter(({ stage }) => stage === 'accepted');
  if (accepted.length === 0) return false;
  if (coversAmounts(sumByCoin(accepted), sumByCoin(credits))) return true;
  if (credits.some(({ due }) => due === null)) return false;
  const given = valueOfEachRefund(payment);
  const value = accepted.reduce((sum, refund) => addShares(sum, given(refund).value), NO_SHARE);
  return !isMore(sumCoverage(credits), value);
}
