import { assertNever } from '../errors.ts';
import type { PaymentStatus } from '../payment/types.ts';
import type { InvoiceStatus, SubscriptionStatus } from './types.ts';

const ORDER_ID = /^(sub_[^/]+)\/\d+$/;

/** The subscription whose invoice an order id is: `sub_…/n`; null for any other order. */
export function subscriptionOfOrder(orderId: string): string | null {
  return ORDER_ID.exec(orderId)?.[1] ?? null;
}

/** The money of an invoice's payment, in minor units of its currency. */
export interface InvoiceMoney {
  readonly status: PaymentStatus;
  /** The price of the payment: that of the invoice, unless it was changed once the payment had ended. */
  readonly price: bigint;
  /** Settled money less refunds and claims. */
  readonly kept: bigint;
  /** Whether it is more than the price and the tolerance. */
  readonly hasExcess: boolean;
}

export interface InvoiceState {
  readonly status: InvoiceStatus;
  readonly due: bigint;
  /** Whether it is paid, or was until its money was refunded. */
  readonly wasPaid: boolean;
  /** What its money has added to the balance of the subscription. */
  readonly credited: bigint;
}

interface InvoiceChange {
  readonly status: InvoiceStatus;
  readonly change: 'paid' | 'reversed' | 'refunded' | null;
  readonly credited: bigint;
}

const LOST: ReadonlySet<PaymentStatus> = new Set(['pending', 'underpaid', 'expired', 'cancelled', 'failed']);
/** Their invoices are closed: money that comes then does not renew them. */
const CLOSED: ReadonlySet<SubscriptionStatus> = new Set(['paused', 'cancelled', 'ended']);

/**
 * What the money of its payment makes of an invoice. The credited amount is a sum, not a change: it follows the
 * money, so that reversed or refunded money takes its credit back.
 */
export function settleInvoice(
  invoice: InvoiceState,
  subscription: SubscriptionStatus,
  money: InvoiceMoney,
  excessToCredit: boolean,
): InvoiceChange {
  const { status, change } = nextStatus(invoice, subscription, money.status);
  const wanted = earnedCredit({ ...invoice, status }, subscription, money);
  // Without that setting, no credit arises, but what was given can be lost.
  const credited = excessToCredit || wanted < invoice.credited ? wanted : invoice.credited;
  return { status, change, credited };
}

function nextStatus(
  { status, due, wasPaid }: InvoiceState,
  subscription: SubscriptionStatus,
  payment: PaymentStatus,
): Pick<InvoiceChange, 'status' | 'change'> {
  switch (status) {
    case 'open':
      return payment === 'completed' ? { status: 'paid', change: 'paid' } : { status, change: null };
    case 'paid':
      // Credit covers it: its payment, if it had one, does not matter.
      if (due === 0n) return { status, change: null };
      if (payment === 'refunded') return { status: 'void', change: 'refunded' };
      if (LOST.has(payment)) {
        return { status: CLOSED.has(subscription) ? 'void' : 'open', change: 'reversed' };
      }
      return { status, change: null };
    case 'void':
      // A refund that failed.
      if (wasPaid && payment === 'completed' && subscription !== 'ended') {
        return { status: 'paid', change: 'paid' };
      }
      return { status, change: null };
    default:
      return assertNever(status);
  }
}

function earnedCredit(
  { status, due, wasPaid }: InvoiceState,
  subscription: SubscriptionStatus,
  money: InvoiceMoney,
): bigint {
  if (money.status === 'refunded') return 0n;
  switch (status) {
    case 'open':
      return 0n;
    case 'paid': {
      // An excess within the tolerance is the shop's.
      const isCapped = money.kept > money.price && !money.hasExcess;
      const counted = isCapped ? money.price : money.kept;
      return counted > due ? counted - due : 0n;
    }
    case 'void':
      // A refund of the whole period makes no credit; money for a period that is not given does.
      if (money.kept < 0n) return 0n;
      return wasPaid && subscription !== 'ended' ? 0n : money.kept;
    default:
      return assertNever(status);
  }
}
