import type { Payment } from './contract.ts';

/**
 * A payment in the terms of a shop.
 * - `waiting`: no money yet.
 * - `seen`: money that covers the price is unconfirmed.
 * - `paid`: deliver. Also if overpaid, or if you accepted the received money.
 * - `short`: underpaid.
 * - `late`: money arrived after the deadline and waits for your decision.
 * - `lost`: it ended without money.
 * - `refunded`: the money was refunded.
 * - `superseded`: another payment of the order got its money: the state of the order is that of the payment
 * `supersededBy`.
 */
export type ShopState = 'waiting' | 'seen' | 'paid' | 'short' | 'late' | 'lost' | 'refunded' | 'superseded';

type Status = Payment['status'];
type Exception = NonNullable<Payment['exception']>;

/** By status, and by exception where that is more specific. The only table for all shops. */
export const SHOP_STATES = {
  pending: 'waiting',
  // A part arrived in time and more arrived late: you decide whether that is enough.
  underpaid: { none: 'short', underpaid: 'short', late: 'late', reversed: 'short' },
  confirming: 'seen',
  completed: 'paid',
  expired: { none: 'lost', late: 'late', reversed: 'lost' },
  cancelled: { none: 'lost', late: 'late', reversed: 'lost' },
  failed: { none: 'lost', late: 'late', reversed: 'lost' },
  refunded: 'refunded',
} as const satisfies Record<
  Status,
  ShopState | ({ none: ShopState } & Partial<Record<Exception, ShopState>>)
>;

/**
 * The state of a payment for a shop.
 * @throws {RangeError} for a state that this version does not know: do not conclude anything from it
 */
export function shopState({
  status,
  exception,
  supersededBy,
}: Pick<Payment, 'status' | 'exception' | 'supersededBy'>): ShopState {
  if (supersededBy !== undefined) return 'superseded';
  const entry = own(SHOP_STATES, status);
  const state = typeof entry === 'object' ? own(entry, exception ?? 'none') : entry;
  if (state === undefined) throw new RangeError(`unknown state of a payment: ${status}/${exception}`);
  return state;
}

/** Excludes properties of every object, such as `constructor`. */
function own<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}
