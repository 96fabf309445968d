import { liveCredits, reaches, sumsOf } from './credits.ts';
import type { CoinSums, PaymentCredit, PaymentState } from './types.ts';

/** Money covered by the merchant's acceptance: of these credits, those that were there at that time. */
function acceptedAmong({ acceptedPosition }: PaymentState, credits: readonly PaymentCredit[]): CoinSums {
  if (acceptedPosition === null) return {};
  return sumsOf(credits.filter(({ position }) => position <= acceptedPosition));
}

/** Whether the merchant's acceptance holds for these credits: of the money it covered, the accepted sums are among them. */
export function isAccepted(
  payment: PaymentState,
  credits: readonly PaymentCredit[] = liveCredits(payment),
): boolean {
  return (
    payment.acceptedPosition !== null &&
    credits.length > 0 &&
    reaches(acceptedAmong(payment, credits), payment.accepted)
  );
}
