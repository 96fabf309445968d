import { COINS } from '../coins.ts';
import { liveCredits, coversAmounts, sumByCoin } from './credits.ts';
import type { CoinSums, PaymentCredit, PaymentState } from './types.ts';

/** Those of these credits that were present when the merchant accepted. */
function acceptedAmong({ acceptedPosition }: PaymentState, credits: readonly PaymentCredit[]): CoinSums {
  if (acceptedPosition === null) return {};
  return sumByCoin(credits.filter(({ position }) => position <= acceptedPosition));
}

/**
 * Whether the merchant's acceptance covers these credits: of the money present at the time, the accepted sums
 * are among them.
 */
export function isAccepted(
  payment: PaymentState,
  credits: readonly PaymentCredit[] = liveCredits(payment),
): boolean {
  return (
    payment.acceptedPosition !== null &&
    credits.length > 0 &&
    coversAmounts(acceptedAmong(payment, credits), payment.accepted)
  );
}

/**
 * Why the merchant cannot accept the received money: the payment already counts it or was refunded
 * (`status`), the payer has claimed money of it that is not sent yet (`claimed`), or none of it remains
 * (`nothing_left`).
 */
export type AcceptanceProblem = 'status' | 'claimed' | 'nothing_left';

/** Null: the merchant may accept the received money. */
export function acceptanceProblem(payment: PaymentState): AcceptanceProblem | null {
  const live = liveCredits(payment);
  if (payment.refundedAt !== null || live.length === 0) return 'status';
  if (payment.status === 'completed' || payment.status === 'confirming') return 'status';
  const leaving = payment.refunds.filter(({ stage }) => stage !== 'failed');
  if (leaving.some(({ stage }) => stage === 'promised')) return 'claimed';
  const [received, returned] = [sumByCoin(live), sumByCoin(leaving)];
  const hasMore = COINS.some((coin) => (received[coin] ?? 0n) > (returned[coin] ?? 0n));
  return hasMore ? null : 'nothing_left';
}
