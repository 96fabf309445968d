import type { Payment, Tilld } from '@tilld/sdk';

/** A payment, or the one of the same order that superseded it and has the order's money. */
export async function getLatestPayment(till: Tilld, paymentId: string): Promise<Payment> {
  const payment = await till.payments.get({ paymentId });
  const { supersededBy } = payment;
  return supersededBy === undefined ? payment : till.payments.get({ paymentId: supersededBy });
}
