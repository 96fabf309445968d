import { assertNever } from '../../domain/errors.ts';
import { SUBSCRIPTION_MAIL_KINDS, type SubscriptionMailKind } from '../../domain/subscription/mails.ts';
import type { Language } from '../../i18n/languages.ts';
import type { SubscriptionMailRow, SubscriptionRow } from '../../store/schema/subscriptions.ts';
import type { PortalView } from '../subscriptions/index.ts';

/** `email_changed` goes to the former address at once; the others are planned. */
export type MailedKind = SubscriptionMailKind | 'email_changed';

/** What one mail is about. */
export interface SubscriptionMailFacts {
  /** All that applies still, the most important last. At most one of them asks for a payment. */
  readonly kinds: readonly MailedKind[];
  readonly view: PortalView;
  readonly isNeverPaid: boolean;
  readonly language: Language;
  readonly now: number;
  /** The address of the payer's page. */
  readonly page: string;
}

type Mailed = Pick<SubscriptionMailRow, 'kind' | 'n'>;

const ASKS: ReadonlySet<SubscriptionMailKind> = new Set(['invoice', 'reminder', 'past_due']);

/** The mails that still apply when they are written; several that ask for a payment are one. */
export function chooseMails<Row extends Mailed>(
  rows: readonly Row[],
  view: PortalView,
  row: Pick<SubscriptionRow, 'creatorKind' | 'paidUntil'>,
): Row[] {
  const weight = ({ kind }: Row): number => SUBSCRIPTION_MAIL_KINDS.indexOf(kind);
  const applying = rows
    .filter((mail) => !isStartedByStranger(row) || mail.kind === 'invoice')
    .filter((mail) => applies(mail, view))
    .toSorted((a, b) => weight(a) - weight(b) || a.n - b.n);
  const lastAsk = applying.findLast(({ kind }) => ASKS.has(kind));
  const last = new Map(applying.map((mail) => [mail.kind, mail]));
  return applying.filter(
    (mail) => last.get(mail.kind) === mail && (!ASKS.has(mail.kind) || mail === lastAsk),
  );
}

/**
 * Anyone may start a subscription on the page of a link, with the address of another person: until it is paid, that
 * address gets one mail.
 */
export function isStartedByStranger({
  creatorKind,
  paidUntil,
}: Pick<SubscriptionRow, 'creatorKind' | 'paidUntil'>): boolean {
  return creatorKind === 'link' && paidUntil === null;
}

function applies({ kind, n }: Mailed, view: PortalView): boolean {
  const { status, cancelAtPeriodEnd, trialEndsAt, invoices, due } = view;
  const isOver = status === 'cancelled' || status === 'ended';
  const invoice = invoices.find((each) => each.n === n);
  switch (kind) {
    case 'invoice':
    case 'reminder':
    case 'past_due':
      // What is confirming may be enough.
      return invoice?.status === 'open' && due !== null && !due.isConfirming;
    case 'paid':
      return invoice?.status === 'paid';
    case 'trial_ending':
      return status === 'trialing' && trialEndsAt !== null;
    case 'paused':
      return status === 'paused';
    case 'resumed':
      return status !== 'paused' && !isOver;
    case 'cancelled':
      return status === 'cancelled' || cancelAtPeriodEnd || status === 'ended';
    case 'ended':
      return status === 'ended';
    default:
      return assertNever(kind);
  }
}
