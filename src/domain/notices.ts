import type { EventType } from './events.ts';
import type { Scope } from './scopes.ts';

/** Subjects that people of a shop can be notified about by email, in display order. */
export const SHOP_NOTICES = [
  'paid',
  'decision',
  'refund_claim',
  'reversed',
  'send',
  'webhook',
  'freeze',
  'approval',
  'forward',
  'digest',
  'month_end',
] as const;
export type ShopNotice = (typeof SHOP_NOTICES)[number];

/** Subjects that the operator of this server is notified about by email. */
const OPERATOR_NOTICES = ['node', 'rates', 'backup', 'replica', 'certificate'] as const;
export type OperatorNotice = (typeof OPERATOR_NOTICES)[number];

export type NoticeKind = ShopNotice | OperatorNotice;

export function isShopNotice(kind: NoticeKind): kind is ShopNotice {
  return SHOP_NOTICES.some((known) => known === kind);
}

interface NoticeTerms {
  /** Whether people who have made no choice receive it. */
  readonly byDefault: boolean;
  /** Whether it cannot be turned off. */
  readonly isFixed: boolean;
  /** The scope that a person needs in the shop to receive it. */
  readonly scope: Scope;
}

/**
 * All people who may read payments are notified when a payment is reversed after the goods were delivered, and all who
 * may read the wallet when it is frozen or unfrozen, or its forward to cold storage changes, because that may be the
 * act of a thief. So may be a send above a limit: those who may approve it are notified.
 */
export const NOTICE_TERMS: Readonly<Record<ShopNotice, NoticeTerms>> = {
  paid: { byDefault: false, isFixed: false, scope: 'payments:read' },
  decision: { byDefault: true, isFixed: false, scope: 'payments:read' },
  refund_claim: { byDefault: true, isFixed: false, scope: 'payments:read' },
  reversed: { byDefault: true, isFixed: true, scope: 'payments:read' },
  send: { byDefault: true, isFixed: false, scope: 'wallet:read' },
  webhook: { byDefault: true, isFixed: false, scope: 'webhooks:read' },
  freeze: { byDefault: true, isFixed: true, scope: 'wallet:read' },
  approval: { byDefault: true, isFixed: true, scope: 'wallet:read' },
  forward: { byDefault: true, isFixed: true, scope: 'wallet:read' },
  // Off by default, because most of its items have a mail of their own already.
  digest: { byDefault: false, isFixed: false, scope: 'payments:read' },
  month_end: { byDefault: false, isFixed: false, scope: 'wallet:read' },
};

/** The exact reason; each has its own text. */
export const NOTICE_REASONS = [
  'paid',
  'underpaid',
  'late',
  'refund_claimed',
  'reversed',
  'send_failed',
  'refund_failed',
  'refund_delayed',
  'send_stuck',
  'fee_limited',
  'webhook_gone',
  'webhook_failing',
  'wallet_frozen',
  'wallets_frozen',
  'wallet_unfrozen',
  'approval_needed',
  'forward_pending',
  'forward_changed',
  'forward_undone',
  'watch_pending',
  'watch_changed',
  'watch_undone',
  'addresses_low',
  'addresses_gone',
  'node_down',
  'node_back',
  'transactions_unread',
  'transactions_read',
  'rates_unsure',
  'rates_back',
  'backup_old',
  'backup_back',
  'replica_behind',
  'replica_back',
  'certificate_ending',
  'certificate_back',
] as const;
export type NoticeReason = (typeof NOTICE_REASONS)[number];

export const KIND_OF_REASON: Readonly<Record<NoticeReason, NoticeKind>> = {
  paid: 'paid',
  underpaid: 'decision',
  late: 'decision',
  refund_claimed: 'refund_claim',
  reversed: 'reversed',
  send_failed: 'send',
  refund_failed: 'send',
  refund_delayed: 'send',
  send_stuck: 'send',
  fee_limited: 'send',
  webhook_gone: 'webhook',
  webhook_failing: 'webhook',
  wallet_frozen: 'freeze',
  wallets_frozen: 'freeze',
  wallet_unfrozen: 'freeze',
  approval_needed: 'approval',
  forward_pending: 'forward',
  forward_changed: 'forward',
  forward_undone: 'forward',
  watch_pending: 'forward',
  watch_changed: 'forward',
  watch_undone: 'forward',
  addresses_low: 'forward',
  addresses_gone: 'forward',
  node_down: 'node',
  node_back: 'node',
  transactions_unread: 'node',
  transactions_read: 'node',
  rates_unsure: 'rates',
  rates_back: 'rates',
  backup_old: 'backup',
  backup_back: 'backup',
  replica_behind: 'replica',
  replica_back: 'replica',
  certificate_ending: 'certificate',
  certificate_back: 'certificate',
};

/** The events that may send a notice. */
export const NOTICED_EVENTS = [
  'payment.completed',
  'payment.underpaid',
  'payment.late',
  'payment.reversed',
  'payment.refund_failed',
  'refund.delayed',
  'refund.claimed',
  'send.failed',
] as const satisfies readonly EventType[];

/** Reasons that a person has to resolve: the daemon reminds once after a day. */
export const REMINDED: ReadonlySet<NoticeReason> = new Set(['underpaid', 'late', 'refund_claimed']);

/** States that a person has to resolve: the daemon reminds daily while they last. */
export const REMINDED_DAILY: ReadonlySet<NoticeReason> = new Set([
  'node_down',
  'transactions_unread',
  'rates_unsure',
  'backup_old',
  'replica_behind',
  'certificate_ending',
  'webhook_failing',
  'send_stuck',
  'fee_limited',
  'addresses_gone',
]);

/** Sends that come to wait within this time of the last mail about approvals share the next one. */
export const APPROVALS_MERGED_MS = 15 * 60_000;

/** Maximum number of mails about one shop to one person per hour; a summary replaces the rest. */
export const NOTICES_PER_HOUR = 20;

/** From so many addresses of lists left, the people of a shop are notified. */
export const FEW_ADDRESSES = 100;
