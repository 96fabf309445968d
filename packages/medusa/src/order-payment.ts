import { isOlder, selectPayment, type KeptPayment } from '@tilld/sdk/shop';

interface Row {
  readonly id: string;
  readonly state: string;
  /** Whether Medusa has its money in its books. */
  readonly captured: boolean;
  readonly created_at: string | Date;
}

/** Stands as a payment's exception where its cart costs more by now: its money is too little, and no more of it is asked for. */
export const PRICE_DIFFERS = 'price_differs';

/** The payment that an order follows. */
export function orderPayment<R extends Row>(rows: readonly R[]): R | undefined {
  return selectPayment(rows, keptPayment);
}

/** Whether the first of two payments was made first. */
export function isMadeBefore(one: Row, other: Row): boolean {
  return isOlder(keptPayment(one), keptPayment(other));
}

function keptPayment({ id, state, captured, created_at }: Row): KeptPayment {
  return { id, state, isBooked: captured, createdAt: new Date(created_at) };
}
