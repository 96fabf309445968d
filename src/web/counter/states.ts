import type { PaymentState } from './types.ts';

/** Paths of a square of 24, drawn as lines: the state is never shown by a colour alone. */
export const STATE_SIGNS: Readonly<Record<PaymentState, string>> = {
  waiting: 'M12 7v5l3 3M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18z',
  seen: 'M2 12s4-7 10-7s10 7 10 7s-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 1 0 6a3 3 0 0 1 0-6z',
  paid: 'M4 13l5 5L20 6',
  short: 'M12 4v10M12 18v2',
  reversed: 'M6 6l12 12M18 6L6 18',
  expired: 'M7 3h10M7 21h10M8 3c0 6 8 6 8 9s-8 3-8 9M16 3c0 6-8 6-8 9s8 3 8 9',
  cancelled: 'M6 6l12 12M18 6L6 18',
  refunded: 'M9 7l-5 5l5 5M4 12h11a5 5 0 0 1 0 10h-3',
};

/** States after which the payer can no longer be expected to pay at the counter. */
export const ENDED: ReadonlySet<PaymentState> = new Set(['paid', 'expired', 'cancelled', 'refunded']);
