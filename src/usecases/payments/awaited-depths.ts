import { outputKey } from '../../domain/chain.ts';
import { requiredDepths } from '../../domain/payment/depth.ts';
import type { PaymentState } from '../../domain/payment/types.ts';
import { setAwaitedDepth } from '../../store/ledger/outputs.ts';
import { awaitedDepth } from '../../store/payments/payments-with-money.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { LoadedPayment } from './load-payment.ts';

/**
 * Stores the depth that each counted output of a payment waits for, where it changed: more or less money
 * moves earlier outputs into another tier, on any payment of the group, and so does another setting.
 */
export async function storeDepths(
  tx: Tx,
  { row, awaited }: Pick<LoadedPayment, 'row' | 'awaited'>,
  payment: PaymentState,
): Promise<void> {
  const waits = requiredDepths(payment);
  for (const { coin, ref, maturity } of payment.credits) {
    const stored = awaited.get(outputKey(ref));
    const depth = awaitedDepth(waits, { coin, maturity });
    if (stored === undefined || stored === depth) continue;
    await setAwaitedDepth(tx, { coin, mode: row.mode }, ref, depth);
  }
}
