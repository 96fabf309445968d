import { describe, expect, it } from 'vitest';
import { isTipWithin, paymentState } from '../../../src/domain/counter.ts';
import { PAYMENT_STATUSES } from '../../../src/domain/payment/types.ts';

describe('paymentState', () => {
  it('shows each status of a payment as one state of the counter', () => {
    const states = PAYMENT_STATUSES.map((status) => [status, paymentState({ status, exception: null })]);
    expect(Object.fromEntries(states)).toEqual({
      pending: 'waiting',
      underpaid: 'short',
      confirming: 'seen',
      completed: 'paid',
      expired: 'expired',
      cancelled: 'cancelled',
      failed: 'reversed',
      refunded: 'refunded',
    });
  });

  it('shows money that the network dropped as reversed, unless other money has completed the payment', () => {
    expect(paymentState({ status: 'pending', exception: 'reversed' })).toBe('reversed');
    expect(paymentState({ status: 'expired', exception: 'reversed' })).toBe('reversed');
    expect(paymentState({ status: 'completed', exception: 'reversed' })).toBe('paid');
  });

  it('shows an overpaid or late payment by its status', () => {
    expect(paymentState({ status: 'completed', exception: 'overpaid' })).toBe('paid');
    expect(paymentState({ status: 'expired', exception: 'late' })).toBe('expired');
  });
});

describe('isTipWithin', () => {
  it('accepts a tip up to what is paid for, and not zero', () => {
    expect([0n, 1n, 500n, 501n].map((tip) => isTipWithin(tip, 1_000n))).toEqual([false, true, true, false]);
  });
});
