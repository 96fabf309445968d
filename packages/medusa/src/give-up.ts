import { MedusaError } from '@medusajs/framework/utils';
import { TilldError, type Payment, type Tilld } from '@tilld/sdk';
import type { TilldOptions } from './options';

/** States in which a payment ended and nothing of it is with the shop. */
const OVER: ReadonlySet<Payment['status']> = new Set(['cancelled', 'expired', 'failed', 'refunded']);

/**
 * Cancels a payment at tilld, so that what Medusa gives up cannot be paid any more.
 * @throws {MedusaError} when money came, or when tilld cannot say: nothing is given up then
 */
export async function giveUp(
  client: Tilld,
  paymentId: string,
  { allowSandbox }: Pick<TilldOptions, 'allowSandbox'>,
): Promise<Payment | null> {
  try {
    return await client.payments.cancel({ paymentId });
  } catch (error) {
    if (!(error instanceof TilldError)) throw error;
    if (error.code === 'PAYMENT_NOT_FOUND') return null;
    if (error.code !== 'INVALID_STATE') throw unknown(paymentId, error);
  }
  const payment = await client.payments.get({ paymentId }).catch((error: unknown) => {
    throw unknown(paymentId, error as Error);
  });
  if (OVER.has(payment.status) && payment.exception !== 'late') return payment;
  if (payment.sandbox && !allowSandbox) return payment;
  throw new MedusaError(
    MedusaError.Types.NOT_ALLOWED,
    `Money came for this order (payment ${paymentId} is ${payment.status}): it is not given up.`,
  );
}

function unknown(paymentId: string, error: Error): MedusaError {
  return new MedusaError(
    MedusaError.Types.UNEXPECTED_STATE,
    `tilld cannot say whether money came for payment ${paymentId}, so nothing is given up: ${error.message}`,
  );
}
