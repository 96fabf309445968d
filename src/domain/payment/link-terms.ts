import { COINS } from '../coins.ts';
import { isAccepted } from './acceptance.ts';
import { liveCredits, sumByCoin } from './credits.ts';
import type { RefundPreset } from './refund-link.ts';
import { isComplete } from './status.ts';
import type { PaymentState } from './types.ts';

/**
 * Whether a change ends the unclaimed refund links of an order: more money came of a coin, on top of what was there,
 * before the order was complete. The payer chose to pay. A replacement of the same amount, such as his fee bump, is not.
 */
export function endsOpenLinks(before: PaymentState, after: PaymentState): boolean {
  if (before.credits.length === 0 || before.credits === after.credits || before.refundedAt !== null)
    return false;
  const [had, has] = [sumByCoin(liveCredits(before)), sumByCoin(liveCredits(after))];
  return COINS.some((coin) => (has[coin] ?? 0n) > (had[coin] ?? 0n)) && !isComplete(before);
}

/** Whether an order is bought: complete, or with money that the merchant accepted and that waits for its confirmations. */
export function isBought(payment: PaymentState): boolean {
  return isAccepted(payment) || isComplete(payment);
}

/**
 * Whether a link may give back only what is beyond the price: it was made for that, or before the order was bought,
 * and by now what it was made for is what was bought.
 */
export function isLimitedToExcess(
  payment: PaymentState,
  { preset, openedComplete }: { readonly preset: RefundPreset | null; readonly openedComplete: boolean },
): boolean {
  return preset === 'excess' || (!openedComplete && isBought(payment));
}
