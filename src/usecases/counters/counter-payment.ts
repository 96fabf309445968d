import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findPayment } from '../../store/payments/payments.ts';
import { presentPayment, type PaymentView, type PresentDeps } from '../payments/index.ts';

/** @throws {AppError} PAYMENT_NOT_FOUND, also for a payment that another counter, or no counter, charged */
export async function readCounterPayment(
  deps: PresentDeps & { readonly db: Db },
  { counterId, paymentId }: { readonly counterId: string; readonly paymentId: string },
): Promise<PaymentView> {
  const row = await findPayment(deps.db, paymentId);
  if (row?.counterId !== counterId) throw new AppError('PAYMENT_NOT_FOUND', 'No such payment');
  return presentPayment(deps.db, deps, row);
}
