import type { ShopState } from '@tilld/sdk';
import type { TilldPayment } from './entities';

/** The higher, the more a payment says about its order. */
const RANKS: Readonly<Record<string, number>> = {
  paid: 6,
  seen: 5,
  short: 4,
  late: 4,
  waiting: 3,
  refunded: 2,
  lost: 1,
  superseded: 1,
} satisfies Record<ShopState, number>;

const RANK_OF_MONEY = RANKS['short'] ?? 0;

/** Whether the customer's money is with a payment: then no other payment of the order may be made or stay open. */
export function hasMoney(state: string): boolean {
  return (RANKS[state] ?? 0) >= RANK_OF_MONEY;
}

/** The payment that an order follows: the one that has money, the earliest of several; else the newest that says most. */
export function orderPayment(rows: readonly TilldPayment[]): TilldPayment | undefined {
  const rank = ({ state }: TilldPayment): number => RANKS[state] ?? 0;
  return [...rows].sort((one, other) => {
    const difference = rank(other) - rank(one);
    if (difference !== 0) return difference;
    // Databases keep seconds only; ids that count tell more.
    const age = Number(one.createdAt) - Number(other.createdAt) || Number(one.id) - Number(other.id) || 0;
    return hasMoney(one.state) ? age : -age;
  })[0];
}
