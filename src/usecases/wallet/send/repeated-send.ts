import { AppError } from '../../../domain/errors.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { SendOrder } from './send-order.ts';

/**
 * The stored send when an order repeats it under the same idempotency key.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when the order differs.
 */
export function repeatedSend(send: StoredSend, order: SendOrder): StoredSend {
  const same =
    send.coin === order.coin &&
    send.mode === order.mode &&
    send.destination === order.destination &&
    send.subtractFee === order.subtractFee &&
    send.everything === (order.everything === true) &&
    (order.everything === true || BigInt(send.ordered) === order.amount);
  if (same) return send;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for a different send');
}
