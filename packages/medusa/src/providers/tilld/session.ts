import type { BigNumberInput } from '@medusajs/framework/types';
import { MedusaError, PaymentSessionStatus } from '@medusajs/framework/utils';
import type { Payment } from '@tilld/sdk';
import { isForAmount, covers, exactFiat } from '../../money';

/** What Medusa keeps with a payment session. */
export type Data = Record<string, unknown>;

/** All of a payment may be given back however it was rounded; a part only as the currency can express it. */
export function refundable(amount: BigNumberInput, payment: Payment): string {
  const { currency } = payment;
  if (isForAmount(payment, amount, currency)) return payment.amount;
  try {
    return exactFiat(amount, currency);
  } catch (error) {
    throw refused((error as Error).message);
  }
}

export function sessionStatus(payment: Payment, data: Data | undefined): PaymentSessionStatus {
  const { status } = payment;
  const isEnough = covers(payment, readText(data, 'amount') ?? 0, readText(data, 'currency') ?? '');
  if (status === 'completed' && isEnough) return PaymentSessionStatus.CAPTURED;
  if (status === 'confirming' && isEnough) return PaymentSessionStatus.PENDING_AUTHORIZATION;
  return PaymentSessionStatus.REQUIRES_MORE;
}

type Shown = Pick<Payment, 'id' | 'checkoutUrl' | 'status' | 'expiresAt'>;

/** The public part of a session: everyone who knows the cart's id can read it. */
export function sessionData({ id, checkoutUrl, status, expiresAt }: Shown, data: Data | undefined): Data {
  return { ...data, payment_id: id, checkout_url: checkoutUrl, status, expires_at: expiresAt };
}

export function readText(data: Data | undefined, name: string): string | undefined {
  const value = data?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function refused(message: string): MedusaError {
  return new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
}
