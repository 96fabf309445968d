import type { PaymentException, PaymentStatus } from './payment/types.ts';

/** The largest tip that a counter offers as a key, in percent. */
export const TIP_PERCENT_MAX = 50;
/** Keys for tips of a counter. */
export const TIPS_MAX = 4;
/** Keys for prices of the catalog of a counter: as many as fit a phone. */
export const FAVOURITES_MAX = 6;
/** Different items of one charge, and of one item. */
export const ITEMS_MAX = 20;
export const QUANTITY_MAX = 99;

/**
 * What a shopkeeper has to know of a payment at a glance. `seen`: all of the money is there, and waits for confirmations.
 */
export const PAYMENT_STATES = [
  'waiting',
  'seen',
  'paid',
  'short',
  'reversed',
  'expired',
  'cancelled',
  'refunded',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

const STATES: Readonly<Record<PaymentStatus, PaymentState>> = {
  pending: 'waiting',
  underpaid: 'short',
  confirming: 'seen',
  completed: 'paid',
  expired: 'expired',
  cancelled: 'cancelled',
  failed: 'reversed',
  refunded: 'refunded',
};

/** Money that the network dropped is never shown as a payment that waits for its first money. */
export function paymentState({
  status,
  exception,
}: {
  readonly status: PaymentStatus;
  readonly exception: PaymentException | null;
}): PaymentState {
  return exception === 'reversed' && status !== 'completed' ? 'reversed' : STATES[status];
}

/**
 * Whether a tip is part of a price: not zero, and at most as much as the remainder, because more than that is a typing
 * error. Both in minor units.
 */
export function isTipWithin(tip: bigint, price: bigint): boolean {
  return tip > 0n && tip * 2n <= price;
}
