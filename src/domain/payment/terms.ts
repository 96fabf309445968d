import type { Coin } from '../coins.ts';
import type { ConfirmationPolicy } from '../confirmations.ts';
import { WHOLE_PRICE } from './share.ts';
import type { MemberTerms, PaymentCredit, PaymentState } from './types.ts';

/** The terms that apply to money: those of the payment whose address received it. */
export type CreditTerms = Pick<MemberTerms, 'expiresAt' | 'cancelledAt' | 'options' | 'priceShare'> &
  Pick<PaymentState, 'unconfirmedGraceMs'>;

/** @param via the superseded payment whose address received the money; absent: the payment itself */
export function termsFor(payment: PaymentState, via: string | undefined): CreditTerms {
  const member = via === undefined ? undefined : payment.members[via];
  const { unconfirmedGraceMs } = payment;
  return member === undefined ? { ...payment, priceShare: WHOLE_PRICE } : { ...member, unconfirmedGraceMs };
}

/** The share of the price that a due quoted under other terms covers. */
export function dueShare({ priceShare }: Pick<MemberTerms, 'priceShare'>): Pick<PaymentCredit, 'dueShare'> {
  const isWhole = priceShare === null || priceShare.numerator === priceShare.denominator;
  return isWhole ? {} : { dueShare: priceShare };
}

/**
 * The confirmation policy of money of a coin; undefined where neither this payment nor one that it superseded
 * accepts that coin.
 */
export function policyIn({ options, members }: PaymentState, coin: Coin): ConfirmationPolicy | undefined {
  const offered = [options, ...Object.values(members).map((member) => member.options)];
  return offered.find((each) => each[coin] !== undefined)?.[coin]?.policy;
}
