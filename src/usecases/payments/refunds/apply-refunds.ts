import type { PaymentEventType } from '../../../domain/payment/types.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { applyFacts, type ApplyFactsDeps } from '../apply-facts.ts';
import { readRefunds } from '../load-payment.ts';

/**
 * Applies the current refunds and claims of a payment to it, in the transaction that changed one of them.
 * @returns the events it caused, in order
 */
export async function applyRefunds(
  tx: Tx,
  deps: ApplyFactsDeps,
  paymentId: string,
): Promise<readonly PaymentEventType[]> {
  const refunds = await readRefunds(tx, paymentId);
  return applyFacts(tx, deps, paymentId, [{ type: 'refunds_changed', refunds }]);
}
