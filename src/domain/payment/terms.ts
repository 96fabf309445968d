import type { Coin } from '../coins.ts';
import type { ConfirmationPolicy } from '../confirmations.ts';
import { WHOLE_PRICE } from './share.ts';
import type { MemberTerms, PaymentCredit, PaymentState } from './types.ts';

/** What money is judged by: the terms of the payment whose address it came to. */
export type CreditTerms = Pick<MemberTerms, 'expiresAt' | 'cancelledAt' | 'options' | 'priceShare'> &
  Pick<PaymentState, 'unconfirmedGraceMs'>;

/** @param via the superseded payment to whose address the money came; absent: the payment's own */
export function termsFor(payment: PaymentState, via: string | undefined): CreditTerms {
  const member = via === undefined ? undefined : payment.members[via];
  const { unconfirmedGraceMs } = payment;
  return member === undefined ? { ...payment, priceShare: WHOLE_PRICE } : { ...member, unconfirmedGraceMs };
}

/** What a due that was asked by other terms covers of the price. */
export function dueShare({ priceShare }: Pick<MemberTerms, 'priceShare'>): Pick<PaymentCredit, 'dueShare'> {
  const isWhole = priceShare === null || priceShare.numerator === priceShare.denominator;
  return isWhole ? {} : { dueShare: priceShare };
}

/** What money of a coin waits for; undefined where neither this payment nor one that it superseded takes that coin. */
export function policyIn({ options, members }: PaymentState, coin: Coin): ConfirmationPolicy | undefined {
  const offered = [options, ...Object.values(members).map((member) => member.options)];
  return offered.find((each) => each[coin] !== undefined)?.[coin]?.policy;
}
