import {
  ATTENTION_TERMS,
  type AttentionAction,
  type AttentionKind,
  type AttentionSeverity,
} from '../../domain/attention.ts';
import type { Coin } from '../../domain/coins.ts';
import type { InvoiceProblem } from '../../domain/subscription/types.ts';
import type { ApprovalReason } from '../../domain/send/spending-limits.ts';
import { isoTime } from '../../domain/iso-time.ts';

/** The object of an item; each field is null where the item has none. */
export interface AttentionSubject {
  readonly paymentId: string | null;
  /** The label of the order, else its id. */
  readonly order: string | null;
  readonly linkId: string | null;
  readonly claimId: string | null;
  readonly sendId: string | null;
  readonly endpointId: string | null;
  readonly subscriptionId: string | null;
  readonly coin: Coin | null;
  /** The address that a payer claimed a refund to, or that a send goes to. */
  readonly destination: string | null;
}

const NO_SUBJECT: AttentionSubject = {
  paymentId: null,
  order: null,
  linkId: null,
  claimId: null,
  sendId: null,
  endpointId: null,
  subscriptionId: null,
  coin: null,
  destination: null,
};

/** Why a send waits for an approval. */
export interface AttentionApproval {
  /** Email address of the user, or name of the key, that ordered it; null: unknown. */
  readonly requestedBy: string | null;
  readonly reasons: ApprovalReason[];
  readonly expiresAt: string;
}

/** Something that waits for a person, as the API presents it. */
export interface AttentionItem {
  /** The id of its subject, or the name of a fault of the server: stable while it waits. */
  readonly id: string;
  readonly kind: AttentionKind;
  readonly severity: AttentionSeverity;
  /** Null where the beginning is unknown. */
  readonly since: string | null;
  readonly subject: AttentionSubject;
  /** The money that it is about, decimal; null where there is none or its value is unknown. */
  readonly amount: string | null;
  /** A fiat currency or a coin. */
  readonly currency: string | null;
  /** The price of the order, in the same currency; null where the amount is not about it. */
  readonly price: string | null;
  /** Of a send above a limit; null for everything else. */
  readonly approval: AttentionApproval | null;
  /** Why an invoice cannot be made; null for everything else. */
  readonly problem: InvoiceProblem | null;
  /** In English. */
  readonly title: string;
  readonly message: string;
  readonly action: { readonly type: AttentionAction; readonly url: string };
  /** Whether the reader may dismiss it. */
  readonly mayDismiss: boolean;
}

/** An item that is derived but not presented yet. */
export interface WaitingItem {
  readonly id: string;
  readonly kind: AttentionKind;
  /** ms; null where the beginning is unknown. */
  readonly since: number | null;
  /** The state: an item dismissed in another one waits again. Null: a dismissal lasts for a day. */
  readonly mark: string | null;
  readonly subject: Partial<AttentionSubject>;
  readonly amount?: string | null;
  readonly currency?: string | null;
  readonly price?: string | null;
  readonly approval?: AttentionApproval;
  readonly problem?: InvoiceProblem;
  /** In place of that of its kind. */
  readonly action?: AttentionAction;
  readonly message?: string | null;
}

const TITLES: Readonly<Record<AttentionKind, string>> = {
  payment_reversed: 'The network took money of a payment back',
  refund_claim: 'A payer asks for a refund',
  send_approval: 'A send waits for approval',
  refund_delayed: 'A refund cannot be sent',
  send_failed: 'A send failed',
  send_stuck: 'A send is not confirmed',
  send_fee_limited: 'A send waits for a higher fee than its limit',
  payment_late: 'Money arrived after the deadline',
  payment_short: 'A payment is short',
  payment_over: 'A payer paid too much',
  payment_after_refund: 'Money arrived after the refund',
  addresses_gone: 'No address is left for new orders',
  addresses_low: 'Few addresses are left for new orders',
  invoice_problem: 'An invoice of a subscription cannot be made',
  subscription_past_due: 'A subscriber has not paid',
  webhook_gone: 'A webhook endpoint answered 410 Gone',
  webhook_failing: 'A webhook endpoint fails',
  node_down: 'A node is behind or unreachable',
  transactions_unread: 'Transactions could not be read',
  rates_unsure: 'Exchange rates rest on one source',
  backup_old: 'The newest backup is too old',
  replica_behind: 'The replica is behind',
  certificate_ending: 'The TLS certificate ends soon',
  security_update: 'A release of tilld mends a security problem',
  update_available: 'A newer release of tilld is available',
};

const MESSAGES: Readonly<Record<AttentionKind, string>> = {
  payment_reversed: 'Do not deliver. Send the payer the payment link again, or wait for the transaction.',
  refund_claim: 'Check the amount and the address, then approve the refund.',
  send_approval: 'Check the amount and the address, then approve or reject the send.',
  refund_delayed: 'Check the balance and the node of the coin.',
  send_failed: 'No money left the wallet. Check the reason before you send again.',
  send_stuck: 'Raise its fee, or cancel it.',
  send_fee_limited: 'Raise its fee by hand, or wait for lower fees.',
  payment_late: 'Accept the money, or refund it.',
  payment_short: 'Accept what arrived, or refund it.',
  payment_over: 'Refund the excess.',
  payment_after_refund: 'The payment was fully refunded before. Refund this money as well.',
  addresses_gone: 'New orders cannot be paid in this coin until you add addresses of your wallet.',
  addresses_low: 'Add addresses of your wallet: without any, orders cannot be paid in this coin.',
  invoice_problem: 'It is retried every minute. The page of the subscription shows the reason.',
  subscription_past_due:
    'Send the customer the payment link again. The subscription ends after the grace period.',
  webhook_gone: 'Nothing is delivered to it until you resume it.',
  webhook_failing: 'Deliveries are retried; send a test once the endpoint is repaired.',
  node_down: 'Payments of this coin are not seen until its node is back.',
  transactions_unread: 'Their money is not credited until they are read.',
  rates_unsure: 'One wrong source could price new payments wrongly.',
  backup_old: 'Check the schedule of backups and the disk.',
  replica_behind: 'A takeover now would lose the newest changes.',
  certificate_ending: 'Renew it before payers see a warning.',
  security_update: 'Update this server soon.',
  update_available: 'Read the release notes, then update this server.',
};

/** Presents an item. @param paths the pages to settle it on */
export function presentItem(
  item: WaitingItem,
  paths: { readonly baseUrl: string; readonly merchantId: string },
): Omit<AttentionItem, 'mayDismiss'> {
  const { severity, action: usual } = ATTENTION_TERMS[item.kind];
  const action = item.action ?? usual;
  return {
    id: item.id,
    kind: item.kind,
    severity,
    since: item.since === null ? null : isoTime(item.since),
    subject: { ...NO_SUBJECT, ...item.subject },
    amount: item.amount ?? null,
    currency: item.currency ?? null,
    price: item.price ?? null,
    approval: item.approval ?? null,
    problem: item.problem ?? null,
    title: TITLES[item.kind],
    message: item.message ?? MESSAGES[item.kind],
    action: { type: action, url: actionUrl(action, item, paths) },
  };
}

function actionUrl(
  action: AttentionAction,
  { kind, subject }: WaitingItem,
  { baseUrl, merchantId }: { readonly baseUrl: string; readonly merchantId: string },
): string {
  const shop = `${baseUrl}/dashboard/shop/${merchantId}`;
  if (action === 'request_payment') return `${baseUrl}/checkout/${subject.paymentId ?? ''}`;
  if (action === 'retry_endpoint') return `${shop}/webhooks`;
  if (action === 'open_nodes') return `${baseUrl}/dashboard/nodes`;
  if (action === 'approve_send') return `${shop}/wallet?approve=${subject.sendId ?? ''}`;
  if (kind === 'send_stuck' || kind === 'send_fee_limited')
    return `${shop}/wallet?raise=${subject.sendId ?? ''}`;
  if (action === 'add_addresses') return `${shop}/wallet?open=watch`;
  if (action === 'open_send' || action === 'fund_wallet') return `${shop}/wallet`;
  if (action === 'open_subscription') return `${shop}/subscriptions/${subject.subscriptionId ?? ''}`;
  return `${shop}/payments/${subject.paymentId ?? ''}`;
}
