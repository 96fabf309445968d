/** Money that comes to a superseded payment counts for the one that took its place, by the terms it was asked for by. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumCoverage } from '../../../src/domain/payment/paid-share.ts';
import { transition, transitionAll } from '../../../src/domain/payment/payment-machine.ts';
import type { MemberTerms, PaymentFact, PaymentState, Share } from '../../../src/domain/payment/types.ts';
import { freshPayment, option } from '../../_helpers/payment-state.ts';

const DUE = 100_000n;
const MEMBER = 'pay_member';
const ref = (index: number) => ({ txid: '7'.repeat(64), index });

/** A payment over 100 that superseded one with these terms. */
function lead(terms: Partial<MemberTerms>): PaymentState {
  const member = {
    expiresAt: 1_000,
    cancelledAt: 5_000,
    options: { BTC: option(DUE, 1) },
    priceShare: { numerator: 1n, denominator: 1n },
    ...terms,
  };
  return freshPayment(
    { BTC: option(DUE, 1) },
    { expiresAt: 10_000, unconfirmedGraceMs: 100, toleranceBps: 0, members: { [MEMBER]: member } },
  );
}

const money = { coin: 'BTC', maturity: 1, currentDue: 3n * DUE } as const;
const seen = (amount: bigint, seenAt: number, index = 0): PaymentFact => ({
  type: 'output_seen',
  ...money,
  ref: ref(index),
  amount,
  seenAt,
  via: MEMBER,
});

describe('money at the address of a superseded payment (an older one of the same order)', () => {
  it('counts at the quote of the superseded payment until its deadline, in proportion to its price', () => {
    const half = { numerator: 1n, denominator: 2n };
    const { payment } = transition(lead({ priceShare: half, cancelledAt: null }), seen(DUE, 900), 900);
    expect(payment.credits).toMatchObject([{ via: MEMBER, late: false, due: DUE, dueShare: half }]);
    expect(sumCoverage(payment.credits)).toMatchObject({ numerator: 1n * DUE, denominator: 2n * DUE });
    expect(payment.status).toBe('underpaid');
    expect(transition(payment, seen(DUE, 950, 1), 950).payment.status).toBe('confirming');
  });

  it('is late after the deadline of the superseded payment, even while the superseding payment is open', () => {
    const { payment, events } = transition(lead({}), seen(DUE, 1_000), 1_000);
    expect(payment.credits).toMatchObject([{ late: true, due: 3n * DUE }]);
    expect(payment.closedAt).toBeNull();
    expect(events).toContain('payment.late');
  });

  it('leaves the superseding payment open for the remainder, and for the merchant to decide once that expires underpaid', () => {
    const { payment } = transition(lead({}), seen(DUE, 1_000), 1_000);
    expect([payment.status, payment.exception]).toEqual(['underpaid', null]);
    const ended = transition(payment, { type: 'time_passed' }, 10_000);
    expect([ended.payment.status, ended.payment.exception]).toEqual(['underpaid', 'late']);
    expect(ended.events).toEqual(['payment.underpaid']);
  });

  it('is left to the merchant immediately under the review policy, also when it covers the price', () => {
    const reviewed: PaymentState = { ...lead({}), latePolicy: 'review' };
    const part = transition(reviewed, seen(2n * DUE, 1_000), 1_000).payment;
    expect([part.status, part.exception]).toEqual(['underpaid', null]);
    const whole = transition(part, seen(DUE, 1_001, 1), 1_001);
    expect([whole.payment.status, whole.payment.exception]).toEqual(['underpaid', 'late']);
    expect(whole.events).toEqual(['payment.late', 'payment.underpaid']);
  });

  it('does not make the superseding payment underpaid when it arrives after the superseding payment expired', () => {
    const { payment, events } = transition(lead({}), seen(DUE, 10_000), 10_000);
    expect([payment.status, payment.exception, payment.closedAt]).toEqual(['expired', 'late', 10_000]);
    expect(events).toEqual(['payment.late']);
  });

  it('is late once the superseded payment was cancelled, whatever the clock says', () => {
    const terms = { expiresAt: 9_000, cancelledAt: 5_000 };
    expect(
      transition(lead({ ...terms, cancelledAt: null }), seen(DUE, 4_999), 4_999).payment.credits[0]?.late,
    ).toBe(false);
    expect(transition(lead(terms), seen(DUE, 4_999), 4_999).payment.credits[0]?.late).toBe(true);
    expect(transition(lead(terms), seen(DUE, 5_000), 5_000).payment.credits[0]?.late).toBe(true);
  });

  it('is on time when its block has a time before the deadline of the superseded payment', () => {
    const late = transition(lead({}), seen(DUE, 1_200), 1_200).payment;
    const block: PaymentFact = {
      type: 'output_confirmed',
      ...money,
      ref: ref(0),
      amount: DUE,
      seenAt: 1_250,
      height: 90,
      cameBefore: 990,
      via: MEMBER,
    };
    expect(transition(late, block, 1_250).payment.credits).toMatchObject([{ late: false, due: DUE }]);
  });

  it('is valued at the current rate when the superseded payment was in another currency', () => {
    const { payment } = transition(lead({ priceShare: null }), seen(DUE, 900), 900);
    expect(payment.credits).toMatchObject([{ late: true, due: 3n * DUE }]);
    expect(payment.credits[0]).not.toHaveProperty('dueShare');
  });

  it('counts as late when it was unconfirmed for too long, unless it was the only money', () => {
    const own: PaymentFact = {
      type: 'output_seen',
      ...money,
      ref: ref(1),
      amount: 1n,
      seenAt: 900,
    };
    const { payment } = transitionAll(lead({}), [seen(1n, 900), own], 900);
    const graceExpired: PaymentFact = {
      type: 'grace_expired',
      coin: 'BTC',
      currentDue: 3n * DUE,
      via: MEMBER,
    };
    const { credits } = transition(payment, graceExpired, 20_000).payment;
    expect(credits.map(({ via, late }) => [via, late])).toEqual([
      [MEMBER, true],
      [undefined, false],
    ]);
  });
});

describe('the transition of a payment to superseded by another payment of the order', () => {
  it('cancels the payment, emits one event, and is permanent', () => {
    const { payment, events } = transition(
      freshPayment({ BTC: option(DUE, 1) }),
      { type: 'superseded', by: 'pay_lead' },
      5,
    );
    expect([payment.status, payment.cancelledAt, payment.supersededBy]).toEqual(['cancelled', 5, 'pay_lead']);
    expect(events).toEqual(['payment.superseded']);
    const again = transition(payment, { type: 'superseded', by: 'pay_other' }, 6);
    expect([again.payment.supersededBy, again.events]).toEqual(['pay_lead', []]);
    expect(transition(payment, { type: 'time_passed' }, 10_000_000).events).toEqual([]);
  });

  it('keeps the time of an earlier cancellation by the shop', () => {
    const cancelled = transition(freshPayment({ BTC: option(DUE, 1) }), { type: 'cancel' }, 3).payment;
    const { payment, events } = transition(cancelled, { type: 'superseded', by: 'pay_lead' }, 5);
    expect([payment.cancelledAt, events]).toEqual([3, ['payment.superseded']]);
  });
});

describe('sumCoverage', () => {
  it('adds up exactly the shares of different prices that the credits cover', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 24n });
    const credits = fc.array(fc.record({ amount: amounts, due: amounts, price: amounts }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(credits, amounts, (entries, price) => {
        const dueShare = (own: bigint): Share => ({ numerator: own, denominator: price });
        const { numerator, denominator } = sumCoverage(
          entries.map(({ amount, due, price: own }, index) => ({
            coin: 'BTC',
            ref: ref(index),
            amount,
            position: index + 1,
            state: 'confirmed',
            height: 90,
            maturity: 1,
            firstSeenAt: 1,
            confirmedAt: 1,
            late: false,
            due,
            dueShare: dueShare(own),
          })),
        );
        const all = entries.reduce((product, { due }) => product * due, 1n);
        const worth = entries.reduce(
          (sum, { amount, due, price: own }) => sum + (amount * own * all) / due,
          0n,
        );
        expect(numerator * all * price).toBe(worth * denominator);
      }),
    );
  });
});
