import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputKey } from '../../../src/domain/chain.ts';
import { atomsToRequest, atomsUp, sumCoverage, isPaid } from '../../../src/domain/payment/paid-share.ts';
import { settledCredits } from '../../../src/domain/payment/depth.ts';
import { liveCredits, transition, transitionAll } from '../../../src/domain/payment/payment-machine.ts';
import { isMore } from '../../../src/domain/payment/share.ts';
import { missingShare } from '../../../src/domain/payment/status.ts';
import { roundUpForPayer } from '../../../src/domain/price.ts';
import type { PaymentEventType, PaymentFact, PaymentState } from '../../../src/domain/payment/types.ts';
import { freshPayment, option, takenRefunds } from '../../_helpers/payment-state.ts';

const EXPIRES = 1_000_000;
const txid = (n: number): string => n.toString(16).padStart(64, '0');

const OPTIONS: PaymentState['options'] = {
  BTC: option(100_000n, 2),
  LTC: option(50_000_000n, 3),
};

function fresh(overrides: Partial<PaymentState> = {}): PaymentState {
  return freshPayment(OPTIONS, overrides);
}

function seen(
  n: number,
  amount: bigint,
  seenAt: number,
  extra: Partial<{ coin: 'BTC' | 'LTC'; currentDue: bigint | null }> = {},
): PaymentFact {
  return {
    type: 'output_seen',
    coin: 'BTC',
    ref: { txid: txid(n), index: 0 },
    amount,
    maturity: 1,
    seenAt,
    currentDue: null,
    ...extra,
  };
}
function confirmed(
  n: number,
  amount: bigint,
  seenAt: number,
  height: number,
  extra: Partial<{ coin: 'BTC' | 'LTC' | 'ETH'; currentDue: bigint | null; maturity: number }> = {},
): PaymentFact {
  return {
    type: 'output_confirmed',
    coin: 'BTC',
    ref: { txid: txid(n), index: 0 },
    amount,
    maturity: 1,
    seenAt,
    currentDue: null,
    height,
    ...extra,
  };
}
const tip = (height: number): PaymentFact => ({ type: 'tip', coin: 'BTC', height });
const gone = (n: number): PaymentFact => ({ type: 'output_gone', ref: { txid: txid(n), index: 0 } });
const unconfirmed = (n: number): PaymentFact => ({
  type: 'output_unconfirmed',
  ref: { txid: txid(n), index: 0 },
});

function run(
  start: PaymentState,
  steps: [PaymentFact, number][],
): { payment: PaymentState; events: PaymentEventType[] } {
  let payment = start;
  const events: PaymentEventType[] = [];
  for (const [fact, now] of steps) {
    const result = transition(payment, fact, now);
    payment = result.payment;
    events.push(...result.events);
  }
  return { payment, events };
}

describe('the payment state machine', () => {
  it('moves an exact payment to confirming when seen and to completed at the required confirmations', () => {
    const { payment, events } = run(fresh(), [
      [seen(1, 100_000n, 10), 10],
      [confirmed(1, 100_000n, 20, 101), 20],
      [tip(101), 20],
      [tip(102), 30],
    ]);
    expect(payment.status).toBe('completed');
    expect(payment.exception).toBeNull();
    expect(events).toEqual(['payment.confirming', 'payment.completed']);
  });

  it('never completes with unconfirmed money, however often it is seen', () => {
    const { payment } = run(fresh(), [
      [seen(1, 100_000n, 10), 10],
      [seen(1, 100_000n, 10), 11],
      [tip(500), 12],
    ]);
    expect(payment.status).toBe('confirming');
  });

  it('keeps confirmations when an outdated mempool view shows the transaction as unconfirmed', () => {
    const { payment } = run(fresh(), [
      [confirmed(1, 100_000n, 10, 99), 10],
      [seen(1, 100_000n, 10), 11],
    ]);
    expect(payment.status).toBe('completed');
    // Completion alone would outlive a lost confirmation: the credit itself must keep it.
    expect(payment.credits).toMatchObject([{ state: 'confirmed', height: 99 }]);
  });

  it('adds up several transactions and coins', () => {
    const { payment, events } = run(fresh(), [
      [confirmed(1, 50_000n, 10, 99), 10],
      [confirmed(2, 25_000_000n, 11, 98, { coin: 'LTC' }), 11],
    ]);
    expect(payment.status).toBe('completed');
    expect(events).toEqual(['payment.underpaid', 'payment.completed']);
  });

  it('accepts an underpayment within the tolerance, and none that exceeds it', () => {
    expect(run(fresh(), [[confirmed(1, 99_500n, 10, 99), 10]]).payment.status).toBe('completed');
    expect(run(fresh(), [[confirmed(1, 99_499n, 10, 99), 10]]).payment.status).toBe('underpaid');
  });

  it('waits for the maturity of a coinbase or peg-out output in addition to the required confirmations', () => {
    const { payment } = run(fresh(), [[confirmed(1, 100_000n, 10, 99, { maturity: 100 }), 10]]);
    expect(payment.status).toBe('confirming');
    expect(transition(payment, tip(197), 20).payment.status).toBe('confirming');
    expect(transition(payment, tip(198), 20).payment.status).toBe('completed');
  });

  it('expires a payment without money at exactly the deadline', () => {
    expect(transition(fresh(), { type: 'time_passed' }, EXPIRES - 1).events).toEqual([]);
    const { payment, events } = transition(fresh(), { type: 'time_passed' }, EXPIRES);
    expect(payment.status).toBe('expired');
    expect(events).toEqual(['payment.expired']);
  });

  it('does not expire a payment with money in the mempool, and completes it after the deadline', () => {
    const { payment, events } = run(fresh(), [
      [seen(1, 100_000n, EXPIRES - 1), EXPIRES - 1],
      [{ type: 'time_passed' }, EXPIRES + 1],
      [confirmed(1, 100_000n, EXPIRES + 5, 99), EXPIRES + 5],
    ]);
    expect(payment.status).toBe('completed');
    expect(payment.exception).toBeNull();
    expect(events).toEqual(['payment.confirming', 'payment.completed']);
  });

  it('keeps a payment underpaid after the deadline and emits payment.underpaid once more', () => {
    const { payment, events } = run(fresh(), [
      [confirmed(1, 40_000n, 10, 99), 10],
      [{ type: 'time_passed' }, EXPIRES],
      [{ type: 'time_passed' }, EXPIRES + 1],
    ]);
    expect(payment).toMatchObject({ status: 'underpaid', exception: 'underpaid' });
    expect(events).toEqual(['payment.underpaid', 'payment.underpaid']);
  });

  it('completes a payment when late money covers the price at the current rate, and keeps its exception late', () => {
    const { payment, events } = run(fresh(), [
      [{ type: 'time_passed' }, EXPIRES],
      [seen(1, 100_000n, EXPIRES + 5, { currentDue: 99_800n }), EXPIRES + 5],
      [confirmed(1, 100_000n, EXPIRES + 9, 99), EXPIRES + 9],
    ]);
    expect(payment).toMatchObject({ status: 'completed', exception: 'late' });
    expect(events).toEqual(['payment.expired', 'payment.late', 'payment.confirming', 'payment.completed']);
  });

  it('keeps a payment expired/late for the merchant to decide when late money does not cover the current price', () => {
    const { payment } = run(fresh(), [
      [{ type: 'time_passed' }, EXPIRES],
      [confirmed(1, 100_000n, EXPIRES + 5, 99, { currentDue: 110_000n }), EXPIRES + 5],
    ]);
    expect(payment).toMatchObject({ status: 'expired', exception: 'late' });
    const accepted = transition(payment, { type: 'resolve', action: 'accept' }, EXPIRES + 10);
    expect(accepted.payment).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('does not decide about late money while its exchange rate is unknown', () => {
    const { payment } = run(fresh(), [[confirmed(1, 100_000n, EXPIRES + 5, 99), EXPIRES + 5]]);
    expect(payment).toMatchObject({ status: 'expired', exception: 'late' });
    const quoted = transition(
      payment,
      { type: 'late_quoted', ref: { txid: txid(1), index: 0 }, due: 100_000n },
      EXPIRES + 6,
    );
    expect(quoted.payment).toMatchObject({ status: 'completed', exception: 'late' });
  });

  it('leaves every late payment to the merchant under the review policy', () => {
    const { payment } = run(fresh({ latePolicy: 'review' }), [
      [confirmed(1, 100_000n, EXPIRES + 5, 99, { currentDue: 90_000n }), EXPIRES + 5],
    ]);
    expect(payment).toMatchObject({ status: 'expired', exception: 'late' });
  });

  it('distinguishes an overpaid payment from one that was paid twice', () => {
    const over = run(fresh(), [[confirmed(1, 120_000n, 10, 99), 10]]);
    expect(over.payment.exception).toBe('overpaid');
    expect(over.events).toEqual(['payment.completed', 'payment.overpaid']);
    const twice = run(fresh(), [
      [confirmed(1, 100_000n, 10, 99), 10],
      [confirmed(2, 100_000n, EXPIRES + 1, 99, { currentDue: 100_000n }), EXPIRES + 1],
    ]);
    expect(twice.payment.exception).toBe('multiple');
    expect(twice.events).toEqual(['payment.completed', 'payment.late', 'payment.overpaid']);
  });

  it('removes the credit of a replaced transaction (RBF), after which the payment can still be paid', () => {
    const { payment, events } = run(fresh(), [
      [seen(1, 100_000n, 10), 10],
      [gone(1), 20],
      [gone(1), 21],
    ]);
    expect(payment.status).toBe('pending');
    expect(events).toEqual(['payment.confirming', 'payment.reversed']);
  });

  it('sets the exception reversed while received money is dropped, and clears it once the money is back or replaced (RBF)', () => {
    const paid: [PaymentFact, number][] = [[seen(1, 100_000n, 10), 10]];
    const dropped = run(fresh(), [...paid, [gone(1), 20]]).payment;
    expect(dropped).toMatchObject({ status: 'pending', exception: 'reversed' });
    expect(run(dropped, [[seen(1, 100_000n, 30), 30]]).payment).toMatchObject({
      status: 'confirming',
      exception: null,
    });
    const bumped = run(dropped, [[seen(2, 40_000n, 30), 30]]).payment;
    expect(bumped).toMatchObject({ status: 'underpaid', exception: 'reversed' });
    expect(run(bumped, [[seen(3, 59_000n, 31), 31]]).payment.exception).toBe('reversed');
    const replaced = run(fresh(), [
      [seen(1, 40_000n, 10), 10],
      [gone(1), 20],
      [seen(2, 40_000n, 20), 20],
    ]).payment;
    expect(replaced).toMatchObject({ status: 'underpaid', exception: null });
    for (const end of [{ type: 'time_passed' }, { type: 'cancel' }] as const) {
      expect(run(dropped, [[end, EXPIRES]]).payment.exception).toBe('reversed');
    }
  });

  it('ends a payment as failed, not expired, when its money was dropped before the deadline', () => {
    const { payment, events } = run(fresh(), [
      [seen(1, 100_000n, 10), 10],
      [gone(1), 20],
      [{ type: 'time_passed' }, EXPIRES],
    ]);
    expect(payment.status).toBe('failed');
    expect(events).not.toContain('payment.expired');
    expect(events.at(-1)).toBe('payment.failed');
  });

  it('keeps a payment completed when a reorg moves its transaction, and reverses it when a reorg drops it', () => {
    const completed = run(fresh(), [[confirmed(1, 100_000n, 10, 99), 10]]).payment;
    const moved = run(completed, [
      [tip(98), 30],
      [unconfirmed(1), 30],
      [confirmed(1, 100_000n, 31, 100), 31],
      [tip(100), 31],
    ]);
    expect(moved.payment.status).toBe('completed');
    expect(moved.events).toEqual([]);
    const dropped = run(completed, [
      [unconfirmed(1), EXPIRES + 5],
      [gone(1), EXPIRES + 6],
      [{ type: 'time_passed' }, EXPIRES + 7],
    ]);
    expect(dropped.payment.status).toBe('failed');
    expect(dropped.events).toEqual(['payment.reversed', 'payment.failed']);
  });

  it('restarts the count of confirmations on a reorg before completion', () => {
    const { payment } = run(fresh(), [
      [confirmed(1, 100_000n, 10, 100), 10],
      [unconfirmed(1), 11],
      [confirmed(1, 100_000n, 12, 101), 12],
      [tip(101), 12],
    ]);
    expect(payment.status).toBe('confirming');
  });

  it('marks money for a cancelled payment as late', () => {
    const cancelled = transition(fresh(), { type: 'cancel' }, 50);
    expect(cancelled.events).toEqual(['payment.cancelled']);
    const { payment, events } = run(cancelled.payment, [
      [confirmed(1, 100_000n, 60, 99, { currentDue: 100_000n }), 60],
    ]);
    expect(payment).toMatchObject({ status: 'completed', exception: 'late' });
    expect(events).toEqual(['payment.late', 'payment.completed']);
  });

  it('refuses to cancel a payment once money was seen', () => {
    const { payment } = run(fresh(), [[seen(1, 1n, 10), 10]]);
    expect(transition(payment, { type: 'cancel' }, 20)).toEqual({ payment, events: [] });
  });

  it('undoes an acceptance when the accepted money is dropped', () => {
    const { payment } = run(fresh(), [
      [confirmed(1, 40_000n, 10, 99), 10],
      [{ type: 'resolve', action: 'accept' }, 20],
      [gone(1), 30],
      [confirmed(2, 1n, 40, 99), 40],
    ]);
    expect(payment.status).toBe('underpaid');
  });

  it('keeps the status refunded for good, and reports later money', () => {
    const { payment, events } = run(fresh(), [
      [confirmed(1, 40_000n, 10, 99), 10],
      [{ type: 'resolve', action: 'refunded' }, 20],
      [confirmed(2, 60_000n, 30, 99), 30],
    ]);
    expect(payment.status).toBe('refunded');
    expect(events).toEqual(['payment.underpaid', 'payment.refunded', 'payment.late']);
  });
});

const arbitraryFact: fc.Arbitrary<PaymentFact> = fc.oneof(
  fc.record({
    type: fc.constant('output_seen' as const),
    coin: fc.constantFrom('BTC' as const, 'LTC' as const),
    ref: fc.record({ txid: fc.integer({ min: 1, max: 5 }).map(txid), index: fc.constant(0) }),
    amount: fc.constant(0n),
    maturity: fc.constant(1),
    seenAt: fc.constant(0),
    currentDue: fc.option(fc.bigInt({ min: 1n, max: 200_000n }), { nil: null }),
  }),
  fc.record({
    type: fc.constant('output_confirmed' as const),
    coin: fc.constantFrom('BTC' as const, 'LTC' as const),
    ref: fc.record({ txid: fc.integer({ min: 1, max: 5 }).map(txid), index: fc.constant(0) }),
    amount: fc.constant(0n),
    maturity: fc.constantFrom(1, 6),
    seenAt: fc.constant(0),
    currentDue: fc.option(fc.bigInt({ min: 1n, max: 200_000n }), { nil: null }),
    height: fc.integer({ min: 95, max: 110 }),
  }),
  fc.record({
    type: fc.constantFrom('output_unconfirmed' as const, 'output_gone' as const),
    ref: fc.record({ txid: fc.integer({ min: 1, max: 5 }).map(txid), index: fc.constant(0) }),
  }),
  fc.record({
    type: fc.constant('late_quoted' as const),
    ref: fc.record({ txid: fc.integer({ min: 1, max: 5 }).map(txid), index: fc.constant(0) }),
    due: fc.bigInt({ min: 1n, max: 200_000n }),
  }),
  fc.record({
    type: fc.constant('tip' as const),
    coin: fc.constantFrom('BTC' as const, 'LTC' as const),
    height: fc.integer({ min: 95, max: 120 }),
  }),
  fc
    .record({ BTC: fc.bigInt(0n, 200_000n), LTC: fc.bigInt(0n, 100_000_000n) })
    .map((sums): PaymentFact => ({ type: 'refunds_changed', refunds: takenRefunds(sums) })),
  fc.constant<PaymentFact>({ type: 'time_passed' }),
  fc.record({
    type: fc.constant('grace_expired' as const),
    coin: fc.constantFrom('BTC' as const, 'LTC' as const),
    currentDue: fc.option(fc.bigInt({ min: 1n, max: 200_000n })),
  }),
  fc.constant<PaymentFact>({ type: 'cancel' }),
  fc.constantFrom(
    { type: 'resolve', action: 'accept' } as PaymentFact,
    { type: 'resolve', action: 'refunded' } as PaymentFact,
  ),
);

/** An output's coin and amount are facts of the chain: they follow from its name. */
function consistent(fact: PaymentFact, now: number): PaymentFact {
  if (fact.type !== 'output_seen' && fact.type !== 'output_confirmed') return fact;
  const n = Number.parseInt(fact.ref.txid, 16);
  return {
    ...fact,
    coin: n % 2 === 0 ? 'LTC' : 'BTC',
    amount: BigInt(n) * (n % 2 === 0 ? 15_000_000n : 25_000n),
    seenAt: now,
  };
}

const history = fc
  .array(fc.tuple(arbitraryFact, fc.integer({ min: 0, max: 400_000 })), { maxLength: 40 })
  .map((steps) => {
    let now = 0;
    return steps.map(([fact, delay]): [PaymentFact, number] => {
      now += delay;
      return [consistent(fact, now), now];
    });
  });

describe('the payment state machine on any sequence of facts', () => {
  it('treats a payment of the missing amount as exact, and one atom more as overpaid', () => {
    fc.assert(
      fc.property(
        // Of a price of so few atoms one more could be the price once more, which is called otherwise.
        fc.bigInt(1_000n, 10n ** 12n),
        fc.bigInt(1_000n, 10n ** 24n),
        fc.integer({ min: 1, max: 999 }),
        fc.bigInt(0n, 1n),
        (btc, ltc, share, extra) => {
          const options = {
            BTC: option(btc, 1),
            LTC: option(ltc, 1),
          };
          const part = (btc * BigInt(share)) / 1000n + 1n;
          fc.pre(part < btc);
          const first = run(fresh({ toleranceBps: 0, options }), [[confirmed(1, part, 10, 100), 10]]).payment;
          // At most one atom of the coarser coin is rounded: an atom of that one is surely more.
          const more = extra * (ltc / (btc < ltc ? btc : ltc) + 1n);
          const rest = atomsUp(missingShare(first), ltc) + more;
          const { payment, events } = run(first, [[confirmed(2, rest, 20, 100, { coin: 'LTC' }), 20]]);
          expect(payment.status).toBe('completed');
          expect(payment.exception).toBe(extra === 0n ? null : 'overpaid');
          expect(events).toEqual(
            extra === 0n ? ['payment.completed'] : ['payment.completed', 'payment.overpaid'],
          );
        },
      ),
    );
  });

  it('treats a payment of the rounded remaining amount as exact', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1_000n, 10n ** 10n),
        fc.bigInt(10n ** 6n, 10n ** 24n),
        fc.integer({ min: 1, max: 9_999 }),
        fc.constantFrom(0, 1, 2, 50, 500),
        (btc, eth, share, toleranceBps) => {
          const options = {
            BTC: option(btc, 1),
            ETH: option(roundUpForPayer(eth, 18), 1),
          };
          const due = options.ETH.due;
          const part = (btc * BigInt(share)) / 10_000n + 1n;
          fc.pre(part < btc);
          const first = run(fresh({ toleranceBps, options }), [[confirmed(1, part, 10, 100), 10]]).payment;
          const missing = missingShare(first);
          const rest = atomsToRequest(missing, { due, coinDecimals: 18, toleranceBps });
          expect(rest).toBeGreaterThanOrEqual(atomsUp(missing, due));
          const start = { ...first, tips: { ...first.tips, ETH: 100 } };
          const paying = confirmed(2, rest, 20, 100, { coin: 'ETH' });
          const { payment } = run(start, [[paying, 20]]);
          expect(payment).toMatchObject({ status: 'completed', exception: null });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('credits exactly the outputs that exist, by the last fact about each output', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { payment } = run(fresh(), steps);
        const model = new Map<string, { amount: bigint; alive: boolean; height: number | null }>();
        for (const [fact] of steps) {
          if (!('ref' in fact)) continue;
          const key = outputKey(fact.ref);
          const known = model.get(key);
          if (fact.type === 'output_confirmed') {
            model.set(key, { amount: fact.amount, alive: true, height: fact.height });
          } else if (fact.type === 'output_seen') {
            // A sighting in the mempool says nothing against a block that was seen to hold it.
            model.set(key, { amount: fact.amount, alive: true, height: known?.height ?? null });
          } else if (known !== undefined && fact.type === 'output_gone') {
            model.set(key, { ...known, alive: false, height: null });
          } else if (known !== undefined && fact.type === 'output_unconfirmed') {
            model.set(key, { ...known, height: null });
          }
        }
        const expected = [...model.values()].filter((o) => o.alive).reduce((sum, o) => sum + o.amount, 0n);
        const credited = liveCredits(payment).reduce((sum, credit) => sum + credit.amount, 0n);
        expect(credited).toBe(expected);
        for (const credit of payment.credits) {
          expect(credit.height).toBe(model.get(outputKey(credit.ref))?.height);
        }
        expect(payment.credits.every((credit) => credit.amount > 0n)).toBe(true);
        expect(new Set(payment.credits.map((credit) => outputKey(credit.ref))).size).toBe(
          payment.credits.length,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('never emits payment.expired after money was seen, and at most once', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let payment = fresh();
        let moneySeen = false;
        let expiries = 0;
        for (const [fact, now] of steps) {
          const result = transition(payment, fact, now);
          payment = result.payment;
          moneySeen ||= payment.credits.length > 0;
          if (result.events.includes('payment.expired')) {
            expiries += 1;
            expect(moneySeen).toBe(false);
          }
        }
        expect(expiries).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('completes only with existing money or an acceptance by the merchant', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { payment } = run(fresh(), steps);
        if (payment.status !== 'completed') return;
        const enough = isPaid(sumCoverage(liveCredits(payment)), payment.toleranceBps);
        expect(enough || payment.acceptedAt !== null).toBe(true);
        expect(liveCredits(payment).length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('ignores a fact that is repeated', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let payment = fresh();
        for (const [fact, now] of steps) {
          payment = transition(payment, fact, now).payment;
          const again = transition(payment, fact, now);
          expect(again.events).toEqual([]);
          expect(again.payment).toEqual(payment);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('produces the same payment and the same events when all facts are replayed', () => {
    fc.assert(
      fc.property(history, (steps) => {
        expect(run(fresh(), steps)).toEqual(run(fresh(), steps));
        const duplicated = steps.flatMap((step): [PaymentFact, number][] => [step, step]);
        expect(run(fresh(), duplicated)).toEqual(run(fresh(), steps));
      }),
      { numRuns: 1_000 },
    );
  });

  it('emits payment.reversed exactly when counted money is dropped', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let payment = fresh();
        for (const [fact, now] of steps) {
          const before = liveCredits(payment).length;
          const result = transition(payment, fact, now);
          payment = result.payment;
          expect(result.events.includes('payment.reversed')).toBe(liveCredits(payment).length < before);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('sets the exception reversed whenever all received money is dropped', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { payment } = run(fresh(), steps);
        const { status, exception, credits } = payment;
        if (liveCredits(payment).length > 0 || status === 'refunded') return;
        expect(exception).toBe(credits.length > 0 ? 'reversed' : null);
      }),
      { numRuns: 2_000 },
    );
  });

  it('computes the received amount independently of the order of observations', () => {
    const observation = fc.record({
      n: fc.integer({ min: 1, max: 5 }),
      height: fc.integer({ min: 95, max: 100 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(observation, { selector: (o) => o.n, maxLength: 5 }),
        fc.infiniteStream(fc.integer()),
        (outputs, order) => {
          const facts = outputs.map((o): [PaymentFact, number] => [
            consistent(confirmed(o.n, 1n, 0, o.height), 10),
            10,
          ]);
          const keys = facts.map(() => order.next().value as number);
          const shuffled = facts
            .map((fact, i) => ({ fact, key: keys[i]! }))
            .sort((a, b) => a.key - b.key)
            .map((x) => x.fact);
          const a = run(fresh({ tips: { BTC: 200, LTC: 200 } }), facts).payment;
          const b = run(fresh({ tips: { BTC: 200, LTC: 200 } }), shuffled).payment;
          expect(b.status).toBe(a.status);
          expect(b.exception).toBe(a.exception);
        },
      ),
    );
  });

  it('emits nothing again when the chain is rewound to a height and the same blocks are read again', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 90, max: 110 }), (steps, height) => {
        const before = run(fresh(), steps).payment;
        const now = Math.max(0, ...steps.map(([, at]) => at));
        const inBlocks = before.credits.filter((credit) => (credit.height ?? -1) > height);
        fc.pre(inBlocks.every(({ confirmedAt }) => confirmedAt !== null));
        const back = inBlocks.map(({ ref }): PaymentFact => ({ type: 'output_unconfirmed', ref }));
        const low = (['BTC', 'LTC'] as const).map((coin): PaymentFact => ({
          type: 'tip',
          coin,
          height: Math.min(height, before.tips[coin] ?? 0),
        }));
        let { payment, events } = transitionAll(before, [...back, ...low], now);
        const told = [...events];
        for (const credit of inBlocks.toSorted((a, b) => (a.height ?? 0) - (b.height ?? 0))) {
          const { coin, ref, amount, maturity } = credit;
          const seen = { coin, ref, amount, maturity, seenAt: now, currentDue: 1n };
          const fact: PaymentFact = { type: 'output_confirmed', ...seen, height: credit.height ?? 0 };
          ({ payment, events } = transitionAll(payment, [fact], now));
          told.push(...events);
        }
        const tips = Object.entries(before.tips).map(([coin, at]): PaymentFact => ({
          type: 'tip',
          coin: coin as 'BTC' | 'LTC',
          height: at,
        }));
        ({ payment, events } = transitionAll(payment, tips, now));
        told.push(...events);
        expect(told).toEqual([]);
        expect(payment).toEqual(before);
      }),
      { numRuns: 3_000 },
    );
  });

  it('never reports the same excess twice unless more money settled or a reversal happened in between', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let payment = fresh();
        let reported: PaymentState['reportedExcess'] = null;
        for (const [fact, now] of steps) {
          const { events, payment: after } = transition(payment, fact, now);
          if (events.includes('payment.reversed')) reported = null;
          if (events.includes('payment.overpaid')) {
            const settled = sumCoverage(settledCredits(after));
            if (reported !== null) expect(isMore(settled, reported)).toBe(true);
            reported = settled;
          }
          payment = after;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('reports an excess again when it replaces one whose money was dropped', () => {
    const amount = fc.bigInt(1_000n, 300_000n);
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 0, max: 3 }), (first, second, rereads) => {
        const paid = run(fresh(), [
          [confirmed(1, 100_000n, 10, 101), 10],
          [confirmed(2, first, 20, 102), 20],
          [tip(103), 30],
        ]);
        expect(paid.events).toEqual(['payment.confirming', 'payment.completed', 'payment.overpaid']);
        // The chain is reorganised back to 101, the excess is double-spent there; the rest confirms again.
        const reorg = run(paid.payment, [
          [unconfirmed(2), 40],
          [tip(101), 40],
          [gone(2), 50],
          [tip(103), 50],
        ]);
        expect(reorg.events).toEqual(['payment.reversed']);
        const again = run(reorg.payment, [
          [seen(3, second, 60), 60],
          [confirmed(3, second, 70, 104), 70],
          [tip(104), 70],
          [tip(105), 80],
        ]);
        expect(again.events).toEqual(['payment.overpaid']);
        // Blocks that are read again tell nothing new.
        let { payment } = again;
        for (let count = 0; count < rereads; count += 1) {
          const reread = run(payment, [
            [unconfirmed(3), 90],
            [tip(103), 90],
            [confirmed(3, second, 90, 104), 90],
            [tip(105), 90],
          ]);
          expect(reread.events).toEqual([]);
          ({ payment } = reread);
        }
      }),
    );
  });

  it('completes a payment only with settled money, whatever the merchant accepts', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let payment = fresh();
        for (const [fact, now] of steps) {
          const result = transition(payment, fact, now);
          const becomesCompleted = payment.status !== 'completed' && result.payment.status === 'completed';
          payment = result.payment;
          if (!becomesCompleted) continue;
          const settled = settledCredits(payment);
          const isFull = isPaid(sumCoverage(settled), payment.toleranceBps);
          const held = (coin: 'BTC' | 'LTC'): bigint =>
            settled.filter((credit) => credit.coin === coin).reduce((sum, { amount }) => sum + amount, 0n);
          const isAccepted =
            payment.acceptedAt !== null &&
            (['BTC', 'LTC'] as const).every((coin) => held(coin) >= (payment.accepted[coin] ?? 0n));
          expect(settled.length).toBeGreaterThan(0);
          expect(isFull || isAccepted).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('values money at the rate of its block when it arrives too long after the deadline', () => {
    const grace = 1_000_000;
    const rushed = fresh({ unconfirmedGraceMs: grace });
    fc.assert(
      fc.property(history, (steps) => {
        let payment = rushed;
        for (const [fact, now] of steps) {
          const before = payment;
          payment = transition(payment, fact, now).payment;
          if (fact.type !== 'output_confirmed') continue;
          const key = outputKey(fact.ref);
          const was = before.credits.find((credit) => outputKey(credit.ref) === key);
          const is = payment.credits.find((credit) => outputKey(credit.ref) === key);
          if (was === undefined || is === undefined || was.confirmedAt !== null) continue;
          const isTooLong = now >= Math.max(EXPIRES, was.firstSeenAt) + grace;
          if (isTooLong) expect(is).toMatchObject({ late: true, due: fact.currentDue });
          else expect(is).toMatchObject({ late: was.late, due: was.due });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
