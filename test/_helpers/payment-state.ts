import type { PaymentState } from '../../src/domain/payment/types.ts';

/** A payment as it is created: nothing seen, nothing decided, chains at height 100. */
export function freshPayment(
  options: PaymentState['options'],
  overrides: Partial<PaymentState> = {},
): PaymentState {
  return {
    status: 'pending',
    exception: null,
    expiresAt: 1_000_000,
    closedAt: null,
    cancelledAt: null,
    acceptedAt: null,
    accepted: {},
    excessTold: null,
    unconfirmedGraceMs: 24 * 3_600_000,
    refundedAt: null,
    refundedBy: null,
    returned: {},
    refunds: {},
    toleranceBps: 50,
    latePolicy: 'accept',
    options,
    credits: [],
    tips: { BTC: 100, LTC: 100 },
    final: {},
    ...overrides,
  };
}
