import type { Coin } from '../../src/domain/coins.ts';
import type { ConfirmationTier, RequiredConfirmations } from '../../src/domain/confirmations.ts';
import { NO_SHARE } from '../../src/domain/payment/share.ts';
import type { PaymentOption, PaymentRefund, PaymentState } from '../../src/domain/payment/types.ts';

/** A coin that covers the price with so many atoms. */
export function option(
  due: bigint,
  base: RequiredConfirmations,
  tiers: readonly ConfirmationTier[] = [],
): PaymentOption {
  return { due, policy: { base, tiers } };
}

/** Refunds that a node took, one for each coin, at the mean that it came for. */
export function takenRefunds(sums: Partial<Record<Coin, bigint>>): PaymentRefund[] {
  return Object.entries(sums).map(([coin, amount], at) => ({
    id: `snd_${coin}`,
    coin: coin as Coin,
    amount,
    stage: 'accepted',
    value: NO_SHARE,
    unpriced: amount,
    completedBy: null,
    position: 1_000 + at,
  }));
}

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
    acceptedPosition: null,
    accepted: {},
    reportedExcess: null,
    unconfirmedGraceMs: 24 * 3_600_000,
    refundedAt: null,
    refundedPosition: null,
    refundedBy: null,
    returned: {},
    refunds: [],
    toleranceBps: 50,
    latePolicy: 'accept',
    options,
    supersededBy: null,
    members: {},
    credits: [],
    tips: { BTC: 100, LTC: 100 },
    final: {},
    ...overrides,
  };
}
