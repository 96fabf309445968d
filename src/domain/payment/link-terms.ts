import { outputKey } from '../chain.ts';
import { liveCredits } from './credits.ts';
import type { RefundPreset } from './refund-link.ts';
import { isComplete } from './standing.ts';
import type { PaymentState } from './types.ts';

/**
 * Whether a change ends the unclaimed refund links of an order: money came, on top of what was there, before the order was
 * complete. The payer chose to pay.
 */
export function endsOpenLinks(before: PaymentState, after: PaymentState): boolean {
  if (before.credits.length === 0 || before.credits === after.credits || before.refundedAt !== null)
    return false;
  const was = new Set(liveCredits(before).map(({ ref }) => outputKey(ref)));
  return liveCredits(after).some(({ ref }) => !was.has(outputKey(ref))) && !isComplete(before);
}

/**
 * Whether a link may give back only what is beyond the price: it was made for that, or before the order was complete,
 * and by now what it was made for is what was bought.
 */
export function isLimitedToExcess(
  payment: PaymentState,
  { preset, openedComplete }: { readonly preset: RefundPreset | null; readonly openedComplete: boolean },
): boolean {
  return preset === 'excess' || (!openedComplete && isComplete(payment));
}
