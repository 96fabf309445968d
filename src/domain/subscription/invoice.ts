import { assertNever } from '../errors.ts';
import type { PaymentStatus } from '../payment/types.ts';
import type { InvoiceStatus, SubscriptionStatus } from './types.ts';

/** The money of an invoice's payment, in minor units of its currency. */
export interface InvoiceMoney {
  readonly status: PaymentStatus;
  /** The price of the payment: that of the invoice, unless it was changed once the payment had ended. */
  readonly price: bigint;
  /** Settled money less what was given back or claimed. */
  readonly kept: bigint;
  /** Whether it is more than the price and the tolerance. */
  readonly hasExcess: boolean;
}

export interface InvoiceState {
  readonly status: InvoiceStatus;
  readonly due: bigint;
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
  const { status, change } = nextStatus(invoice, CLOSED.has(subscription), money.status);
  const wanted = earnedCredit({ ...invoice, status }, money);
  // Without that setting, no credit arises, but what was given can be lost.
  const credited = excessToCredit || wanted < invoice.credited ? wanted : invoice.credited;
  return { status, change, credited };
}

function nextStatus(
  { status, wasPaid }: InvoiceState,
  isClosed: boolean,
  payment: PaymentStatus,
): Pick<InvoiceChange, 'status' | 'change'> {
  switch (status) {
    case 'open':
      return payment === 'completed' ? { status: 'paid', change: 'paid' } : { status, change: null };
    case 'paid':
      if (payment === 'refunded') return { status: 'void', change: 'refunded' };
      if (LOST.has(payment)) return { status: isClosed ? 'void' : 'open', change: 'reversed' };
      return { status, change: null };
    case 'void':
      // A refund that failed, or money that came back after a reversal.
      if (wasPaid && payment === 'completed') return { status: 'paid', change: 'paid' };
      return { status, change: null };
    default:
      return assertNever(status);
  }
}

function earnedCredit({ status, due, wasPaid }: InvoiceState, money: InvoiceMoney): bigint {
  switch (status) {
    case 'open':
      return 0n;
    case 'paid': {
      const excess = money.hasExcess && money.kept > money.price ? money.kept - money.price : 0n;
      return excess + money.price - due;
    }
    case 'void':
      // A refund of the whole period makes no credit; money for a period that was never given does.
      return wasPaid || money.kept < 0n ? 0n : money.kept;
    default:
      return assertNever(status);
  }
}
