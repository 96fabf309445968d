/**
 * The share of the price that refunds give back, also where the rate of the refunded money is not known yet.
 */
import { sumCoverage } from './paid-share.ts';
import { sumAtoms, liveCredits } from './credits.ts';
import { addShares, NO_SHARE, reduceShare, WHOLE_PRICE } from './share.ts';
import type { PaymentCredit, PaymentRefund, PaymentState, Share } from './types.ts';

/** A share of the price, and atoms whose rate is not known. */
export type RefundValue = Pick<PaymentRefund, 'value' | 'unpriced'>;

/**
 * The value of each refund. Its atoms of unknown rate count for nothing while such money is live, because
 * that does not count as received either. Once it is gone, they count at the rate at receipt of their coin,
 * or at the quoted price.
 */
export function valueOfEachRefund(payment: PaymentState): (refund: PaymentRefund) => RefundValue {
  const open = payment.refunds.filter(({ stage, unpriced }) => stage !== 'failed' && unpriced > 0n);
  const waiting = liveCredits(payment).filter(({ due }) => due === null);
  const rest = new Map(waiting.map((credit) => [credit, credit.amount]));
  const given = new Map<PaymentRefund, RefundValue>();
  for (const refund of open) {
    let unpriced = 0n;
    for (const credit of waiting) {
      if (!isFrom(refund, credit)) continue;
      const left = rest.get(credit) ?? 0n;
      const part = least(left, refund.unpriced - unpriced);
      rest.set(credit, left - part);
      unpriced += part;
    }
    const value = addShares(refund.value, shareAtMean(payment, refund, refund.unpriced - unpriced));
    given.set(refund, { value, unpriced });
  }
  return (refund) => given.get(refund) ?? { value: refund.value, unpriced: 0n };
}

/**
 * The value at receipt of some atoms of a refund: the mean of the money of its coin known then, or the quoted
 * price.
 */
function shareAtMean(payment: PaymentState, refund: PaymentRefund, atoms: bigint): Share {
  if (atoms === 0n) return NO_SHARE;
  const known = payment.credits.filter((credit) => credit.due !== null && isFrom(refund, credit));
  if (known.length > 0) return shareOfAtoms(known, atoms);
  const terms = [{ ...payment, priceShare: WHOLE_PRICE }, ...Object.values(payment.members)];
  for (const { options, priceShare } of terms) {
    const due = options[refund.coin]?.due;
    if (due === undefined || priceShare === null) continue;
    return { numerator: atoms * priceShare.numerator, denominator: due * priceShare.denominator };
  }
  return NO_SHARE;
}

/** Whether a refund may use this money. */
function isFrom({ coin, position }: PaymentRefund, credit: PaymentCredit): boolean {
  return credit.coin === coin && (position === null || credit.position <= position);
}

/** The value at receipt of some atoms of these credits: their mean. */
export function shareOfAtoms(credits: readonly PaymentCredit[], atoms: bigint): Share {
  const priced = credits.filter(({ due }) => due !== null);
  const all = sumAtoms(priced);
  if (all === 0n) return NO_SHARE;
  const { numerator, denominator } = sumCoverage(priced);
  return { numerator: numerator * atoms, denominator: denominator * all };
}

/** Returns the refunds once the rate of a credit is known; this fixes their value for good. */
export function withRate(refunds: readonly PaymentRefund[], credit: PaymentCredit): readonly PaymentRefund[] {
  let rest = credit.amount;
  const isOpen = (refund: PaymentRefund): boolean =>
    refund.unpriced > 0n && refund.stage !== 'failed' && isFrom(refund, credit);
  if (!refunds.some(isOpen)) return refunds;
  return refunds.map((refund) => {
    if (rest === 0n || !isOpen(refund)) return refund;
    const part = least(rest, refund.unpriced);
    rest -= part;
    const value = reduceShare(addShares(refund.value, sumCoverage([{ ...credit, amount: part }])));
    return { ...refund, value, unpriced: refund.unpriced - part };
  });
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
