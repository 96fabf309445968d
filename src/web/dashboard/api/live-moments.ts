import type { Payment, Status } from '../contract/types.ts';

/** A payment whose money was seen, or that was paid. */
export interface LiveMoment {
  readonly kind: 'seen' | 'paid';
  readonly payment: Payment;
}

type Stage = 'open' | 'seen' | 'paid';
const STAGES: Partial<Record<Status, Stage>> = { confirming: 'seen', underpaid: 'seen', completed: 'paid' };

/**
 * What happened to payments since they were read last. Money that is seen and confirmed between two readings is one
 * moment; nothing is one for a payment that goes back.
 * @param known stages by payment id, which this updates
 */
export function liveMoments(known: Map<string, Stage>, payments: readonly Payment[]): LiveMoment[] {
  return payments.flatMap((payment) => {
    const before = known.get(payment.id) ?? 'open';
    const stage = STAGES[payment.status] ?? 'open';
    known.set(payment.id, stage);
    const isNews = stage === 'paid' ? before !== 'paid' : stage === 'seen' && before === 'open';
    return isNews && stage !== 'open' ? [{ kind: stage, payment }] : [];
  });
}
