import { assertNever } from '../errors.ts';
import { addCalendarDays } from './periods.ts';
import type { SubscriptionEventType, SubscriptionState } from './types.ts';

/** In the order of their weight: of several in one mail, the last one is its subject. */
export const SUBSCRIPTION_MAIL_KINDS = [
  'paid',
  'resumed',
  'trial_ending',
  'invoice',
  'reminder',
  'past_due',
  'paused',
  'cancelled',
  'ended',
] as const;
export type SubscriptionMailKind = (typeof SUBSCRIPTION_MAIL_KINDS)[number];

interface PlannedMail {
  readonly kind: SubscriptionMailKind;
  /** The period that it is about. */
  readonly n: number;
  /** When it is written, if it still applies then. */
  readonly dueAt: number;
}

interface Change {
  readonly before: Pick<SubscriptionState, 'status' | 'cancelAtPeriodEnd'>;
  readonly after: SubscriptionState;
  readonly events: readonly SubscriptionEventType[];
  /** The invoice of the events, otherwise the oldest open one; null: none. */
  readonly invoice: InvoiceFacts | null;
  readonly leadDays: number;
  readonly now: number;
}

interface InvoiceFacts {
  readonly n: number;
  readonly periodStart: number;
  readonly payBy: number;
  readonly createdAt: number;
  /** Null where credit covers it. */
  readonly paymentId: string | null;
}

const DAY_MS = 86_400_000;
/** Calendar days before its period on which an open invoice is mailed again. */
const REMINDER_DAYS = 3;
/** Calendar days between the mails about an overdue invoice. */
const PAST_DUE_DAYS = 3;

/** The mails to the payer that a change of a subscription causes. */
export function planMails(change: Change): PlannedMail[] {
  return change.events.flatMap((event) => planForEvent(event, change));
}

function planForEvent(event: SubscriptionEventType, change: Change): PlannedMail[] {
  const { before, after, invoice, now } = change;
  const plain = (kind: SubscriptionMailKind): PlannedMail[] => [{ kind, n: after.nextN, dueAt: now }];
  switch (event) {
    case 'subscription.invoiced':
      return invoice === null || invoice.paymentId === null ? [] : planForInvoice(invoice, change);
    case 'subscription.renewed':
      return invoice === null ? [] : [{ kind: 'paid', n: invoice.n, dueAt: now }];
    case 'subscription.past_due':
      return invoice === null ? [] : planForPastDue(invoice, change);
    case 'subscription.paused':
      return plain('paused');
    case 'subscription.resumed':
      return plain('resumed');
    case 'subscription.trial_ending':
      return plain('trial_ending');
    case 'subscription.cancelled':
      return plain('cancelled');
    case 'subscription.updated':
      return after.cancelAtPeriodEnd && !before.cancelAtPeriodEnd ? plain('cancelled') : [];
    case 'subscription.ended':
      // The end of a cancelled one was announced.
      return before.status === 'cancelled' || before.cancelAtPeriodEnd ? [] : plain('ended');
    case 'subscription.created':
      return [];
    default:
      return assertNever(event);
  }
}

/** An invoice that is paid ahead is mailed at its usual time only. */
function planForInvoice({ n, periodStart }: InvoiceFacts, { after, leadDays, now }: Change): PlannedMail[] {
  const { timeZone } = after.schedule;
  const dueAt = Math.max(now, addCalendarDays(timeZone, periodStart, -leadDays));
  const remindAt = addCalendarDays(timeZone, periodStart, -REMINDER_DAYS);
  const isApart = remindAt >= addCalendarDays(timeZone, dueAt, 1);
  return [
    { kind: 'invoice', n, dueAt },
    ...(isApart ? [{ kind: 'reminder' as const, n, dueAt: remindAt }] : []),
  ];
}

/** The mail about an invoice of the same day has said it. */
function planForPastDue(invoice: InvoiceFacts, { after, now }: Change): PlannedMail[] {
  const isNew = now - invoice.createdAt < DAY_MS;
  const dueAt = isNew ? nextPastDueMailAt(after.schedule.timeZone, now, invoice.payBy) : now;
  return dueAt === null ? [] : [{ kind: 'past_due', n: invoice.n, dueAt }];
}

/** When an overdue invoice is mailed again; null: it will have ended. */
export function nextPastDueMailAt(timeZone: string, now: number, payBy: number): number | null {
  const next = addCalendarDays(timeZone, now, PAST_DUE_DAYS);
  return next < payBy ? next : null;
}
