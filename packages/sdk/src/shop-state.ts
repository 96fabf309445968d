import type { Payment } from './contract.ts';

/**
 * A payment in the words of a shop.
 * - `waiting`: nothing is paid yet.
 * - `seen`: money that covers the price is under way.
 * - `paid`: deliver. Also when too much was paid, or when you accepted what came.
 * - `short`: money came, too little.
 * - `late`: money came after the time was up and waits for your decision.
 * - `lost`: it ended without money.
 * - `refunded`: the money went back.
 * - `superseded`: another payment of the order got its money: the order is what that one (`supersededBy`) says.
 */
export type ShopState = 'waiting' | 'seen' | 'paid' | 'short' | 'late' | 'lost' | 'refunded' | 'superseded';

type Status = Payment['status'];
type Exception = NonNullable<Payment['exception']>;

/** By status, and by exception where that tells more. The one table of all shops. */
export const SHOP_STATES = {
  pending: 'waiting',
  // Part of it came in time and more too late: whether that is enough is for you to decide.
  underpaid: { none: 'short', underpaid: 'short', late: 'late' },
  confirming: 'seen',
  completed: 'paid',
  expired: { none: 'lost', late: 'late' },
  cancelled: { none: 'lost', late: 'late' },
  failed: { none: 'lost', late: 'late' },
  refunded: 'refunded',
} as const satisfies Record<
  Status,
  ShopState | ({ none: ShopState } & Partial<Record<Exception, ShopState>>)
>;

/**
 * What a payment means to a shop.
 * @throws {RangeError} for a state that this version does not know: nothing is concluded from it
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

/** Not what every object has, such as `constructor`. */
function own<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}
