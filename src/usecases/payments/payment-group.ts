import { assertNever } from '../../domain/errors.ts';
import type { PaymentFact } from '../../domain/payment/types.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findPayment, type StoredPayment } from '../../store/payments/payments.ts';
import type { LoadedPayment } from './load-payment.ts';

/**
 * The payment that has the balance of its group once any of them received money: the newest, open or not. Its
 * price is the order's, as last set by the shop, and it is the only one that may still ask for the rest.
 */
export function leadPaymentId({ row, members }: Pick<LoadedPayment, 'row' | 'members'>): string {
  const all = [row, ...members.map((member) => member.row)];
  const lead = all.find(({ supersededBy: by }) => by !== null)?.supersededBy ?? null;
  if (lead !== null) return lead;
  // Ordered by their renewal links, because clocks are set back. There is more than one only where a
  // migration removed one from the middle.
  const renewed = new Set(all.map(({ renews }) => renews));
  const last = all.filter(({ id }) => !renewed.has(id)).toSorted((a, b) => b.createdAt - a.createdAt);
  return last[0]?.id ?? row.id;
}

/** Facts about a superseded payment, translated for its successor: only its money still matters. */
export function factsForLead(memberId: string, facts: readonly PaymentFact[]): PaymentFact[] {
  return facts.flatMap((fact): PaymentFact[] => {
    switch (fact.type) {
      case 'output_seen':
      case 'output_confirmed':
      case 'grace_expired':
        return [{ ...fact, via: memberId }];
      case 'time_passed':
      case 'cancel':
      case 'resolve':
      case 'superseded':
        return [];
      case 'output_unconfirmed':
      case 'output_gone':
      case 'late_quoted':
      case 'tip':
      case 'refunds_changed':
        return [fact];
      default:
        return assertNever(fact);
    }
  });
}

/** The payment whose address received the money. @param via as in its credit */
export function groupPayee({ row, members }: LoadedPayment, via: string | undefined): StoredPayment {
  return members.find((member) => member.row.id === via)?.row ?? row;
}

/**
 * The payment whose price values the day's money: the one whose address received it, unless that has another
 * currency.
 */
export function pricedBy(loaded: LoadedPayment, via: string | undefined): StoredPayment {
  const payee = groupPayee(loaded, via);
  return payee.currency === loaded.row.currency ? payee : loaded.row;
}

/** Like pricedBy, for a payment that may be superseded. */
export async function findPricing(db: Db, payee: StoredPayment): Promise<StoredPayment> {
  const lead = payee.supersededBy === null ? undefined : await findPayment(db, payee.supersededBy);
  return lead === undefined || lead.currency === payee.currency ? payee : lead;
}
