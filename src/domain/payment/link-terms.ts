import { COINS } from '../coins.ts';
import { isAccepted } from './acceptance.ts';
import { liveCredits, sumByCoin } from './credits.ts';
import type { RefundPreset } from './refund-link.ts';
import { isComplete } from './status.ts';
import type { PaymentState } from './types.ts';

/**
 * Whether a change ends the unclaimed refund links of an order: additional money of a coin arrived before the
 * order was complete, so the payer chose to pay. A replacement of the same amount, such as the payer's fee
 * bump (RBF), does not end them.
 */
export function endsUnclaimedRefundLinks(before: PaymentState, after: PaymentState): boolean {
  if (before.credits.length === 0 || before.credits === after.credits || before.refundedAt !== null)
    return false;
  const [had, has] = [sumByCoin(liveCredits(before)), sumByCoin(liveCredits(after))];
  return COINS.some((coin) => (has[coin] ?? 0n) > (had[coin] ?? 0n)) && !isComplete(before);
}

/** Whether an order is bought: complete, or with accepted money that waits for confirmations. */
export function isBought(payment: PaymentState): boolean {
  return isAccepted(payment) || isComplete(payment);
}

/**
 * Whether a link may refund only the excess: it was created for the excess, or it was created before the
 * order was bought and its money has since paid for the order.
 */
export function isLimitedToExcess(
  payment: PaymentState,
  { preset, openedComplete }: { readonly preset: RefundPreset | null; readonly openedComplete: boolean },
): boolean {
  return preset === 'excess' || (!openedComplete && isBought(payment));
}
