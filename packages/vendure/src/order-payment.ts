import { selectPayment } from '@tilld/sdk/shop';
import type { TilldPayment } from './entities';

/** The payment that an order follows. */
export function orderPayment(rows: readonly TilldPayment[]): TilldPayment | undefined {
  return selectPayment(rows, ({ id, state, createdAt }) => ({ id, state, createdAt }));
}
