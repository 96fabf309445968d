import { TilldError } from './errors.ts';
import type { Tilld } from './tilld.ts';

/**
 * Cancels a payment that must not be paid any more.
 * @returns false where there is nothing to cancel: money came, it has ended, or tilld does not know it
 */
export async function closePayment(client: Tilld, paymentId: string): Promise<boolean> {
  try {
    await client.payments.cancel({ paymentId });
    return true;
  } catch (error) {
    if (error instanceof TilldError && ['INVALID_STATE', 'PAYMENT_NOT_FOUND'].includes(error.code))
      return false;
    throw error;
  }
}
