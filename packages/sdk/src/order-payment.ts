import type { ShopState } from './shop-state.ts';

/** What a shop keeps of a payment, as far as it decides which one an order follows. */
export interface KeptPayment {
  readonly id: string | number;
  /** In the words of `shopState`, as it was last heard. */
  readonly state: string;
  readonly createdAt: Date;
  /** Whether the shop has its money in its books. */
  readonly isBooked?: boolean;
}

/** The higher, the more a payment says about its order. */
const RANKS = {
  paid: 6,
  seen: 5,
  short: 4,
  late: 4,
  waiting: 3,
  refunded: 2,
  lost: 1,
  superseded: 1,
} satisfies Record<ShopState, number>;

function rank(state: string): number {
  return Object.hasOwn(RANKS, state) ? RANKS[state as ShopState] : 0;
}

function weight({ state, isBooked }: KeptPayment): number {
  return rank(state) + (isBooked === true ? (hasMoney(state) ? RANKS.paid : 0.5) : 0);
}

/** Whether the customer's money is with a payment: then no other payment of the order may be made or stay open. */
export function hasMoney(state: string): boolean {
  return rank(state) >= RANKS.short;
}

/** Whether a payment cannot be paid any more. */
export function hasEnded(state: string): boolean {
  return rank(state) <= RANKS.refunded;
}

/**
 * The payment that an order follows: the one that has money, the earliest of several; else the newest that says most.
 * Money in the books counts more than other money; of two payments without money, the one that paid the order once.
 *
 * @param read what the shop keeps of a row
 */
export function selectPayment<Row>(rows: readonly Row[], read: (row: Row) => KeptPayment): Row | undefined {
  const [first] = rows
    .map((row) => ({ row, kept: read(row) }))
    .sort(({ kept: one }, { kept: other }) => {
      const difference = weight(other) - weight(one);
      if (difference !== 0) return difference;
      const age = isOlder(one, other) ? -1 : 1;
      return hasMoney(one.state) ? age : -age;
    });
  return first?.row;
}

type Made = Pick<KeptPayment, 'id' | 'createdAt'>;

/** Which of two was made first, the same for all who ask. Databases may keep whole seconds: ids that count tell more. */
export function isOlder(one: Made, other: Made): boolean {
  const age = one.createdAt.getTime() - other.createdAt.getTime();
  if (age !== 0) return age < 0;
  const difference = Number(one.id) - Number(other.id);
  return Number.isNaN(difference) ? String(one.id) < String(other.id) : difference < 0;
}
