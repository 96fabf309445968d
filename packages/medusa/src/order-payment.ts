import type { ShopState } from '@tilld/sdk';

interface Row {
  readonly id: string;
  readonly state: string;
  /** Whether Medusa has its money in its books. */
  readonly captured: boolean;
  readonly created_at: string | Date;
}

/** Stands as a payment's exception where its cart costs more by now: its money is too little, and no more of it is asked for. */
export const PRICE_DIFFERS = 'price_differs';

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

function rankOf(state: string): number {
  return Object.hasOwn(RANKS, state) ? RANKS[state as ShopState] : 0;
}

/** Whether the customer's money is with a payment: then no other payment of the order may be made or stay open. */
export function hasMoney(state: string): boolean {
  return rankOf(state) >= RANKS.short;
}

/** Whether nobody can pay a payment any more. */
export function hasEnded(state: string): boolean {
  return rankOf(state) <= RANKS.refunded;
}

/** The payment that an order follows: the one that has money, the earliest of several; else the newest that says most. */
export function orderPayment<R extends Row>(rows: readonly R[]): R | undefined {
  // Of two without money, the order follows the one that paid it once.
  const weight = ({ state, captured }: R): number =>
    rankOf(state) + (captured ? (hasMoney(state) ? RANKS.paid : 0.5) : 0);
  return [...rows].sort((one, other) => {
    const difference = weight(other) - weight(one);
    if (difference !== 0) return difference;
    const age = isOlder(one, other) ? -1 : 1;
    return hasMoney(one.state) ? age : -age;
  })[0];
}

/** Which of two was made first, for all who ask the same. */
export function isOlder(one: Pick<Row, 'id' | 'created_at'>, other: Pick<Row, 'id' | 'created_at'>): boolean {
  const [mine, others] = [one, other].map(({ created_at }) => new Date(created_at).getTime()) as [
    number,
    number,
  ];
  return mine === others ? one.id < other.id : mine < others;
}
