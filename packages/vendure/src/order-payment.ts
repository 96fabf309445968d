import { selectPayment } from '@tilld/sdk/shop';
import type { TilldPayment } from './entities';

/** The payment that determines the state of an order. */
export function orderPayment(rows: readonly TilldPayment[]): TilldPayment | undefined {
  return selectPayment(rows, ({ id, state, createdAt }) => ({ id, state, createdAt }));
}
