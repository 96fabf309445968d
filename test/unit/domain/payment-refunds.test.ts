import { WHOLE_PRICE } from '../../../src/domain/payment/share.ts';
import { atomsFor, convertToMinor } from '../../../src/domain/price.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { liveCredits, transition } from '../../../src/domain/payment/payment-machine.ts';
import { isFullyRefunded } from '../../../src/domain/payment/balance.ts';
import {
  excessAtoms,
  remainingRefundable,
  type RemainingRefundable,
} from '../../../src/domain/payment/remaining-refundable.ts';
import type {
  CoinSums,
  PaymentEventType,
  PaymentFact,
  PaymentState,
} from '../../../src/domain/payment/types.ts';
import { freshPayment, option, takenRefunds } from '../../_helpers/payment-state.ts';

const EXPIRES = 1_000_000;

const OPTIONS: PaymentState['options'] = {
  BTC: option(100n, 2),
  LTC: option(1_000n, 2),
};

function fresh(overrides: Partial<PaymentState> = {}): PaymentState {
  return freshPayment(OPTIONS, overrides);
}

const ref = (n: number) => ({ txid: n.toString(16).padStart(64, '0'), index: 0 });
const paid = (n: number, amount: bigint, seenAt = 10, coin: 'BTC' | 'LTC' = 'BTC'): PaymentFact => ({
  type: 'output_confirmed',
  coin,
  ref: ref(n),
  amount,
  maturity: 1,
  seenAt,
  currentDue: coin === 'BTC' ? 100n : 1_000n,
  height: 99,
});
const gone = (n: number): PaymentFact => ({ type: 'output_gone', ref: ref(n) });
/** What nodes took of refunds, and have not failed: all there are. */
const accepted = (sums: CoinSums): PaymentFact => ({ type: 'refunds_changed', refunds: takenRefunds(sums) });
const failed = accepted;
/** Those of refunds that were made while the order was complete by that much. */
const afterwards = (completedBy: CoinSums, sums: CoinSums): PaymentFact => ({
  type: 'refunds_changed',
  refunds: takenRefunds(sums).map((refund) => ({
    ...refund,
    completedBy: { sums: completedBy, byAcceptance: false },
  })),
});
const refundable = (payment: PaymentState, coin: Coin): bigint => {
  const { atoms } = remainingRefundable(payment, coin);
  return atoms > 0n ? atoms : 0n;
};
/** What some atoms of a coin came for, in parts of a price of 5,000. */
const worthOf = (payment: PaymentState, coin: Coin): { atoms: bigint; minorUnits: bigint } | null => {
  const { worth } = remainingRefundable(payment, coin);
  if (worth === null) return null;
  return { atoms: worth.atoms * worth.share.denominator, minorUnits: 5_000n * worth.share.numerator };
};

function run(steps: readonly [PaymentFact, number][], start = fresh()) {
  let payment = start;
  const events: PaymentEventType[] = [];
  for (const [fact, now] of steps) {
    const result = transition(payment, fact, now);
    payment = result.payment;
    events.push(...result.events);
  }
  return { payment, events };
}

describe('a payment with refunds', () => {
  it('keeps its status after a partial refund, and becomes refunded with the refund of the rest', () => {
    const { payment, events } = run([
      [paid(1, 100n), 10],
      [afterwards({ BTC: 100n }, { BTC: 40n }), 20],
    ]);
    expect([payment.status, events]).toEqual(['completed', ['payment.completed']]);
    const all = transition(payment, accepted({ BTC: 100n }), 30);
    expect(all.events).toEqual(['payment.refunded']);
    expect(all.payment).toMatchObject({ status: 'refunded', refundedAt: 30, refundedBy: 'refunds' });
  });

  it('returns to the status before the reversal when dropped money is mined again, and the refund stays valid', () => {
    const { payment, events } = run([
      [paid(1, 60n), 10],
      [paid(2, 100n), 10],
      [accepted({ BTC: 60n }), 20],
      [gone(2), 30],
      [paid(2, 100n), 40],
    ]);
    expect(payment).toMatchObject({ status: 'completed', refundedAt: null, refundedPosition: null });
    expect(events.slice(-3)).toEqual(['payment.reversed', 'payment.refunded', 'payment.completed']);
  });

  it('is refunded only when every coin was refunded', () => {
    const { payment } = run([
      [paid(1, 50n), 10],
      [paid(2, 500n, 10, 'LTC'), 10],
      [afterwards({ BTC: 50n, LTC: 500n }, { BTC: 50n }), 20],
    ]);
    expect(payment.status).toBe('completed');
    expect(transition(payment, accepted({ BTC: 50n, LTC: 500n }), 30).payment.status).toBe('refunded');
  });

  it('returns to the status before the refund when the refund fails, and emits both events', () => {
    const { payment, events } = run([
      [paid(1, 100n), 10],
      [accepted({ BTC: 100n }), 20],
      [failed({}), 30],
    ]);
    expect(payment).toMatchObject({ status: 'completed', refundedAt: null, refundedBy: null });
    expect(events).toEqual([
      'payment.completed',
      'payment.refunded',
      'payment.refund_failed',
      'payment.completed',
    ]);
  });

  it('emits payment.refund_failed when a refund of late money fails', () => {
    const { payment, events } = run([
      [{ type: 'time_passed' }, EXPIRES],
      [paid(1, 10n, EXPIRES + 1), EXPIRES + 1],
      [accepted({ BTC: 10n }), EXPIRES + 2],
      [failed({}), EXPIRES + 3],
    ]);
    expect(payment).toMatchObject({ status: 'expired', exception: 'late' });
    expect(events.slice(-2)).toEqual(['payment.refunded', 'payment.refund_failed']);
  });

  it('stays refunded when more money arrives, and when the refund of that money fails', () => {
    const { payment, events } = run([
      [paid(1, 100n), 10],
      [accepted({ BTC: 100n }), 20],
      [paid(2, 100n, 30), 30],
      [accepted({ BTC: 200n }), 40],
      [failed({ BTC: 100n }), 50],
    ]);
    expect(payment.status).toBe('refunded');
    expect(events).toEqual(['payment.completed', 'payment.refunded', 'payment.late']);
  });

  it('stays refunded when a reorg drops its money afterwards, and emits an event', () => {
    const { payment, events } = run([
      [paid(1, 100n), 10],
      [accepted({ BTC: 100n }), 20],
      [gone(1), 30],
    ]);
    expect(payment.status).toBe('refunded');
    expect(events.at(-1)).toBe('payment.reversed');
  });

  it('becomes refunded when the part of the money that was not refunded is dropped', () => {
    const { payment, events } = run([
      [paid(1, 60n), 10],
      [paid(2, 40n), 10],
      [accepted({ BTC: 60n }), 20],
      [gone(2), 30],
    ]);
    expect(payment.status).toBe('refunded');
    expect(events.slice(-2)).toEqual(['payment.reversed', 'payment.refunded']);
  });

  it('keeps the decision of the merchant when a refund fails', () => {
    const { payment } = run([
      [paid(1, 100n), 10],
      [accepted({ BTC: 40n }), 20],
      [{ type: 'resolve', action: 'refunded' }, 30],
      [failed({}), 40],
    ]);
    expect(payment).toMatchObject({ status: 'refunded', refundedBy: 'merchant' });
  });
});

describe('the refundable amount of a payment', () => {
  it('is the money with all required confirmations, per coin', () => {
    const { payment } = run([
      [paid(1, 30n), 10],
      [paid(2, 20n), 10],
      [gone(2), 20],
      [{ ...paid(3, 10n), height: 100 } as PaymentFact, 20],
    ]);
    expect(refundable(payment, 'BTC')).toBe(30n);
    expect(refundable(payment, 'LTC')).toBe(0n);
    expect(refundable({ ...payment, tips: { BTC: 101 } }, 'BTC')).toBe(40n);
  });

  it('is only the money that arrived after a refund outside tilld was recorded', () => {
    const { payment } = run([
      [paid(1, 100n), 10],
      [{ type: 'resolve', action: 'refunded' }, 30],
      [paid(2, 7n, 40), 40],
    ]);
    expect(refundable(payment, 'BTC')).toBe(7n);
  });
});

const fact: fc.Arbitrary<PaymentFact> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 50 }))
    .map(([n, seenAt]) => paid(n, BigInt(n) * 20n, seenAt * 30_000, n % 2 === 0 ? 'LTC' : 'BTC')),
  fc.integer({ min: 1, max: 4 }).map(gone),
  fc.record({ BTC: fc.bigInt(0n, 90n), LTC: fc.bigInt(0n, 130n) }).map(accepted),
  fc.constant<PaymentFact>({ type: 'time_passed' }),
  fc.constantFrom<PaymentFact>(
    { type: 'resolve', action: 'accept' },
    { type: 'resolve', action: 'refunded' },
  ),
);
const history = fc.array(fact, { maxLength: 30 });

describe('money that was recorded as refunded outside tilld', () => {
  const returned = run([
    [paid(1, 100n), 10],
    [{ type: 'resolve', action: 'refunded' }, 30],
  ]).payment;
  const after = (...facts: readonly PaymentFact[]): bigint =>
    refundable(
      run(
        [...facts, { type: 'tip', coin: 'BTC', height: 200 } as const].map((fact) => [fact, 60]),
        returned,
      ).payment,
      'BTC',
    );

  it('is not refundable when a reorg includes it with another txid', () => {
    expect(after(gone(1), paid(2, 100n, 40))).toBe(0n);
    expect(after(paid(2, 100n, 40), gone(1))).toBe(0n);
    expect(after(gone(1), paid(2, 60n, 40), paid(3, 40n, 50))).toBe(0n);
  });

  it('leaves money that arrived in addition refundable, whatever happens to the first money', () => {
    expect(after(paid(2, 70n, 40))).toBe(70n);
    expect(after(gone(1), paid(2, 70n, 40))).toBe(0n);
    expect(after(gone(1), paid(2, 170n, 40))).toBe(70n);
    expect(after(gone(1), paid(2, 70n, 40), paid(1, 100n, 50))).toBe(70n);
  });

  it('does not include money that was dropped at that time, which is refundable when it is mined', () => {
    const { payment } = run([
      [paid(1, 100n), 10],
      [paid(2, 50n), 10],
      [gone(2), 20],
      [{ type: 'resolve', action: 'refunded' }, 30],
      [paid(2, 50n, 40), 40],
      [{ type: 'tip', coin: 'BTC', height: 200 }, 60],
    ]);
    expect(refundable(payment, 'BTC')).toBe(50n);
  });
});

describe('the refunds of a payment, on any sequence of facts', () => {
  it('set the status refunded exactly while they, or a decision of the merchant, cover the money, and each change emits an event', () => {
    fc.assert(
      fc.property(history, (facts) => {
        let payment = fresh();
        facts.forEach((next, at) => {
          const before = payment;
          const { payment: after, events } = transition(before, next, at * 60_000);
          payment = after;
          expect(after.status === 'refunded').toBe(after.refundedAt !== null);
          expect(after.refundedBy === null).toBe(after.refundedAt === null);
          expect(events.includes('payment.refunded')).toBe(
            before.refundedAt === null && after.refundedAt !== null,
          );
          expect(events.includes('payment.refund_failed')).toBe(
            before.refundedAt !== null && after.refundedAt === null && next.type === 'refunds_changed',
          );
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it('set the status refunded when they cover the money at that time, until one fails or dropped money is mined', () => {
    fc.assert(
      fc.property(history, (facts) => {
        let payment = fresh();
        facts.forEach((next, at) => {
          const before = payment;
          payment = transition(before, next, at * 60_000).payment;
          if (before.refundedBy === null && payment.refundedBy === 'refunds') {
            expect(isFullyRefunded(payment, liveCredits(payment))).toBe(true);
          }
          if (before.refundedAt !== null && payment.refundedAt === null) {
            expect(before.refundedBy).toBe('refunds');
            expect(['refunds_changed', 'output_confirmed']).toContain(next.type);
          }
          const { refundedBy, refundedPosition } = payment;
          const meant = liveCredits(payment).filter(({ position }) => position <= (refundedPosition ?? 0));
          if (refundedBy === 'refunds' && meant.length > 0)
            expect(isFullyRefunded(payment, meant)).toBe(true);
          if (payment.refundedAt === null) {
            expect(isFullyRefunded(payment, liveCredits(payment))).toBe(false);
          }
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it('have no effect on the payment when they fail', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }), (outputs) => {
        const money = outputs.map((n): [PaymentFact, number] => [
          paid(n, BigInt(n) * 20n, 10, n % 2 === 0 ? 'LTC' : 'BTC'),
          10,
        ]);
        const everything = { BTC: 1_000n, LTC: 1_000n };
        const without = run(money).payment;
        const after = run([...money, [accepted(everything), 20], [failed({}), 30]]).payment;
        expect(after).toEqual(without);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the fiat value of received money', () => {
  it('equals the price for exactly the requested amount', () => {
    const { payment } = run([[paid(1, 100n), 20]]);
    const worth = worthOf(payment, 'BTC');
    expect(worth && atomsFor(5_000n, worth)).toBe(100n);
    expect(worth && atomsFor(2_499n, worth)).toBe(49n);
  });

  it('is computed at the rate at receipt for late money', () => {
    const late: PaymentFact = { ...(paid(1, 200n, EXPIRES + 1) as object), currentDue: 200n } as PaymentFact;
    const { payment } = run([[late, EXPIRES + 2]]);
    const worth = worthOf(payment, 'BTC');
    expect(worth && atomsFor(5_000n, worth)).toBe(200n);
  });

  it('is unknown for a coin in which the payment received nothing', () => {
    expect(worthOf(fresh(), 'BTC')).toBeNull();
    const { payment } = run([[paid(1, 100n), 20]]);
    expect(worthOf(payment, 'LTC')).toBeNull();
  });

  it('is never converted back to more money than received', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 5 });
    const property = fc.property(amounts, (all) => {
      const { payment } = run(all.map((amount, at) => [paid(at + 1, amount), 20]));
      const held = refundable(payment, 'BTC');
      const worth = worthOf(payment, 'BTC');
      expect(worth && atomsFor(convertToMinor(held, worth), worth)).toBeLessThanOrEqual(held);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

/** The remainder of a coin; 100 or 1,000 atoms of it cover the price. */
const btc = (atoms: bigint): RemainingRefundable => ({
  coin: 'BTC',
  atoms,
  unpriced: 0n,
  worth: { atoms, share: { numerator: atoms, denominator: 100n } },
  most: WHOLE_PRICE,
});
const ltc = (atoms: bigint): RemainingRefundable => ({
  coin: 'LTC',
  atoms,
  unpriced: 0n,
  worth: { atoms, share: { numerator: atoms, denominator: 1_000n } },
  most: WHOLE_PRICE,
});

describe('excessAtoms of a payment', () => {
  it('is the received money less the price', () => {
    expect(excessAtoms([btc(150n)], 'BTC')).toBe(50n);
    expect(excessAtoms([btc(100n)], 'BTC')).toBe(0n);
    expect(excessAtoms([btc(40n)], 'BTC')).toBe(0n);
  });

  it('adds all coins of the payment, rounded down, up to the received amount of each coin', () => {
    expect(excessAtoms([btc(100n), ltc(500n)], 'BTC')).toBe(50n);
    expect(excessAtoms([btc(100n), ltc(509n)], 'BTC')).toBe(50n);
    expect(excessAtoms([btc(100n), ltc(500n)], 'LTC')).toBe(500n);
    expect(excessAtoms([btc(200n), ltc(500n)], 'LTC')).toBe(500n);
    expect(excessAtoms([btc(200n)], 'LTC')).toBe(0n);
  });
});
