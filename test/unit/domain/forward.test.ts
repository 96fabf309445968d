import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feeShare } from '../../../src/domain/send/fee-budget.ts';
import {
  amountWithin,
  changeDestination,
  decideForward,
  forwardAt,
  forwardBudget,
  type ForwardRule,
  keptFor,
} from '../../../src/domain/send/forward.ts';

const RULE: ForwardRule = {
  id: 'fwd_1',
  merchantId: 'merchant',
  coin: 'BTC',
  mode: 'live',
  destination: 'cold',
  pending: null,
  keep: 0n,
  threshold: 1n,
  intervalMs: 60_000,
  isActive: true,
  runs: 0,
  lastRunAt: null,
  lastSendId: null,
  problem: null,
  createdAt: 0,
  updatedAt: 0,
};
const FACTS = { spendable: 100n, reach: 100n, leastLeft: 0n, promised: 0n, isInFlight: false };
const atoms = fc.bigInt({ min: 0n, max: 10n ** 20n });

describe('decideForward', () => {
  it('leaves the kept balance and the reserved funds, sends nothing below the threshold, and at most what one transaction can spend', () => {
    const property = fc.property(
      fc.record({ keep: atoms, threshold: atoms.map((amount) => amount + 1n) }),
      fc.record({ spendable: atoms, reach: atoms, promised: atoms }),
      (terms, funds) => {
        const facts = { ...FACTS, ...funds };
        const { amount, wait } = decideForward({ ...RULE, ...terms }, facts, 0);
        const free = facts.spendable - terms.keep - facts.promised;
        const most = free < facts.reach ? free : facts.reach;
        expect(amount).toBe(most >= terms.threshold ? most : null);
        expect(wait).toBe(amount === null ? 'below_threshold' : null);
      },
    );
    fc.assert(property);
  });

  it('leaves no account below the minimum of the network, nor less than the kept and reserved amount', () => {
    const property = fc.property(atoms, atoms, atoms, atoms, (keep, spendable, promised, leastLeft) => {
      const facts = { ...FACTS, spendable, reach: spendable, promised };
      const any = decideForward({ ...RULE, keep }, facts, 0).amount;
      const { amount } = decideForward({ ...RULE, keep }, { ...facts, leastLeft }, 0);
      if (amount === null) {
        expect(any === null || spendable - leastLeft < RULE.threshold).toBe(true);
        return;
      }
      const rest = spendable - amount;
      expect(rest === 0n || rest >= leastLeft).toBe(true);
      expect(rest).toBeGreaterThanOrEqual(keep + promised);
      // As much as without the demand, where that is allowed.
      if (rest !== leastLeft) expect(amount).toBe(any);
    });
    fc.assert(property);
  });

  it('waits while it is off, without a destination, behind its last forward, and for its interval', () => {
    const wait = (change: Partial<ForwardRule>, facts = FACTS, now = 0) =>
      decideForward({ ...RULE, ...change }, facts, now).wait;
    expect(wait({ isActive: false })).toBe('off');
    expect(wait({ destination: null })).toBe('no_destination');
    expect(wait({}, { ...FACTS, isInFlight: true })).toBe('in_flight');
    expect(wait({ lastRunAt: 1_000 }, FACTS, 60_999)).toBe('interval');
    expect(wait({ lastRunAt: 1_000 }, FACTS, 61_000)).toBeNull();
    // The clock was set back since the last forward.
    expect(wait({ lastRunAt: 10 ** 12 }, FACTS, 1_000)).toBeNull();
  });
});

describe('amountWithin', () => {
  it('leaves room for the part of the fee budget that counts, whatever the shares of the settings are', () => {
    const share = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(atoms, share, share, (room, forwardFeeShareBps, maxFeeShareBps) => {
        const policy = { forwardFeeShareBps, maxFeeShareBps };
        const amount = amountWithin(room, policy);
        const counted = forwardBudget(amount, policy) - feeShare(amount, policy);
        expect(amount + (counted > 0n ? counted : 0n)).toBeLessThanOrEqual(room);
        expect(amount).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});

describe('a destination of forwards', () => {
  it('takes effect after the delay from its last change, and never earlier, by any orders and reads', () => {
    const step = fc.oneof(
      fc.record({ wanted: fc.constantFrom('cold', 'thief', 'other') }),
      fc.record({ pass: fc.nat({ max: 200 }) }),
    );
    const property = fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.nat({ max: 150 }),
      (steps, delayMs) => {
        let rule = RULE;
        let now = 0;
        let orders = 0;
        // The last order, and since when it has not been replaced by another one.
        let [wanted, since] = ['cold', 0];
        const read = () => {
          const next = forwardAt(rule, now);
          if (next.destination !== rule.destination) {
            expect(next.destination).toBe(wanted);
            expect(now - since).toBeGreaterThanOrEqual(delayMs);
          }
          rule = next;
        };
        for (const one of steps) {
          if ('pass' in one) now += one.pass;
          read();
          if (!('wanted' in one)) continue;
          orders += 1;
          if (wanted !== one.wanted) [wanted, since] = [one.wanted, now];
          rule = { ...rule, ...changeDestination(rule, wanted, { id: `${orders}`, now, delayMs }) };
          read();
        }
      },
    );
    fc.assert(property);
  });

  it('stays as it is where the one in force is ordered, which drops a pending one', () => {
    const change = { id: '1', now: 0, delayMs: 100 };
    const pending = changeDestination(RULE, 'thief', change);
    expect(pending).toEqual({ destination: 'cold', pending: { id: '1', destination: 'thief', at: 100 } });
    expect(changeDestination({ ...RULE, ...pending }, 'cold', change)).toEqual({
      destination: 'cold',
      pending: null,
    });
    expect(changeDestination({ ...RULE, ...pending }, 'thief', { ...change, id: '2', now: 50 })).toEqual(
      pending,
    );
  });
});

describe('amounts of forwards', () => {
  it('bound the fee by a share, and keep the usual fee with a promise whose fee the shop pays', () => {
    expect(forwardBudget(1_000_000n, { forwardFeeShareBps: 100 })).toBe(10_000n);
    expect(keptFor({ amount: 101n, paysFee: false }, { maxFeeShareBps: 1_000 })).toBe(101n);
    expect(keptFor({ amount: 101n, paysFee: true }, { maxFeeShareBps: 1_000 })).toBe(112n);
  });
});
