import { findPayment } from '../../store/payments/payments.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { toMoney, type ReadKept } from '../invoices/index.ts';
import { loadPayment } from './load-payment.ts';
import type { LoadPaymentDeps } from './payment-state.ts';

/** Adds the look-up of the money of other payments, for the invoices that they pay. */
export function withKept<Deps extends LoadPaymentDeps>(db: Db, deps: Deps): Deps & { readKept: ReadKept } {
  return {
    ...deps,
    readKept: async (paymentId) => {
      const payment = await findPayment(db, paymentId);
      return payment === undefined ? 0n : toMoney(payment, (await loadPayment(db, deps, payment)).state).kept;
    },
  };
}
