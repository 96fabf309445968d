import { assertNever } from './errors.ts';
import type { PaymentException, PaymentStatus } from './payment/types.ts';
import type { Scope } from './scopes.ts';

/** Reasons for which something waits for a person of a shop, the most urgent first. */
export const ATTENTION_KINDS = [
  'payment_reversed',
  'refund_claim',
  'send_approval',
  'refund_delayed',
  'send_failed',
  'send_stuck',
  'send_fee_limited',
  'payment_late',
  'payment_short',
  'payment_over',
  'payment_after_refund',
  'addresses_gone',
  'addresses_low',
  'invoice_problem',
  'subscription_past_due',
  'webhook_gone',
  'webhook_failing',
  'node_down',
  'transactions_unread',
  'rates_unsure',
  'backup_old',
  'replica_behind',
  'certificate_ending',
  'security_update',
  'update_available',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** `urgent`: money may be lost, or nothing can be sold, until it is settled. */
export const ATTENTION_SEVERITIES = ['urgent', 'normal'] as const;
export type AttentionSeverity = (typeof ATTENTION_SEVERITIES)[number];

/** The one action that settles an item. */
export const ATTENTION_ACTIONS = [
  'request_payment',
  'replace_payment',
  'accept_payment',
  'decide_payment',
  'refund_excess',
  'approve_refund',
  'approve_send',
  'fund_wallet',
  'add_addresses',
  'open_send',
  'open_subscription',
  'retry_endpoint',
  'open_nodes',
] as const;
export type AttentionAction = (typeof ATTENTION_ACTIONS)[number];

interface AttentionTerms {
  readonly severity: AttentionSeverity;
  /** The scope that a reader needs; `owner`: only the owner of the shop, signed in. */
  readonly scope: Scope | 'owner';
  /**
   * The scope that is needed to dismiss it, besides `payments:write`. What only others in the shop may settle, such
   * as a claim that the owner approves, must not be hidden from them.
   */
  readonly dismissScope: Scope | 'owner';
  readonly action: AttentionAction;
}

export const ATTENTION_TERMS: Readonly<Record<AttentionKind, AttentionTerms>> = {
  payment_reversed: {
    severity: 'urgent',
    scope: 'payments:read',
    dismissScope: 'refunds:write',
    action: 'request_payment',
  },
  refund_claim: {
    severity: 'urgent',
    scope: 'payments:read',
    dismissScope: 'wallet:send',
    action: 'approve_refund',
  },
  send_approval: {
    severity: 'urgent',
    scope: 'wallet:read',
    dismissScope: 'wallet:send',
    action: 'approve_send',
  },
  refund_delayed: {
    severity: 'urgent',
    scope: 'payments:read',
    dismissScope: 'wallet:read',
    action: 'fund_wallet',
  },
  send_failed: {
    severity: 'urgent',
    scope: 'wallet:read',
    dismissScope: 'payments:write',
    action: 'open_send',
  },
  send_stuck: {
    severity: 'urgent',
    scope: 'wallet:read',
    dismissScope: 'payments:write',
    action: 'open_send',
  },
  send_fee_limited: {
    severity: 'urgent',
    scope: 'wallet:read',
    dismissScope: 'payments:write',
    action: 'open_send',
  },
  payment_late: {
    severity: 'normal',
    scope: 'payments:read',
    dismissScope: 'payments:write',
    action: 'accept_payment',
  },
  payment_short: {
    severity: 'normal',
    scope: 'payments:read',
    dismissScope: 'payments:write',
    action: 'decide_payment',
  },
  payment_over: {
    severity: 'normal',
    scope: 'payments:read',
    dismissScope: 'payments:write',
    action: 'refund_excess',
  },
  payment_after_refund: {
    severity: 'normal',
    scope: 'payments:read',
    dismissScope: 'payments:write',
    action: 'refund_excess',
  },
  addresses_gone: {
    severity: 'urgent',
    scope: 'wallet:read',
    dismissScope: 'owner',
    action: 'add_addresses',
  },
  addresses_low: {
    severity: 'normal',
    scope: 'wallet:read',
    dismissScope: 'owner',
    action: 'add_addresses',
  },
  invoice_problem: {
    severity: 'urgent',
    scope: 'subscriptions:read',
    dismissScope: 'subscriptions:write',
    action: 'open_subscription',
  },
  subscription_past_due: {
    severity: 'normal',
    scope: 'subscriptions:read',
    dismissScope: 'subscriptions:write',
    action: 'request_payment',
  },
  webhook_gone: {
    severity: 'urgent',
    scope: 'webhooks:read',
    dismissScope: 'payments:write',
    action: 'retry_endpoint',
  },
  webhook_failing: {
    severity: 'urgent',
    scope: 'webhooks:read',
    dismissScope: 'payments:write',
    action: 'retry_endpoint',
  },
  node_down: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  transactions_unread: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  rates_unsure: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  backup_old: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  replica_behind: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  certificate_ending: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  security_update: { severity: 'urgent', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
  update_available: { severity: 'normal', scope: 'owner', dismissScope: 'owner', action: 'open_nodes' },
};

export type PaymentAttention = Extract<AttentionKind, `payment_${string}`>;

/**
 * The decision that a payment waits for; null: none. An exception that the status has settled, such as late
 * money of a completed payment, needs none. The index payments_waiting has the payments with one.
 */
export function paymentAttention(payment: {
  readonly status: PaymentStatus;
  readonly exception: PaymentException | null;
  /** Money that arrived after the full refund remains. */
  readonly hasMoneyAfterRefund: boolean;
}): PaymentAttention | null {
  const { status, exception, hasMoneyAfterRefund } = payment;
  if (hasMoneyAfterRefund) return 'payment_after_refund';
  const isSettled = status === 'completed' || status === 'confirming' || status === 'refunded';
  switch (exception) {
    case null:
      return null;
    case 'reversed':
      return isSettled ? null : 'payment_reversed';
    case 'underpaid':
      return isSettled ? null : 'payment_short';
    case 'late':
      return isSettled ? null : 'payment_late';
    case 'overpaid':
    case 'multiple':
      return status === 'completed' ? 'payment_over' : null;
    default:
      return assertNever(exception);
  }
}
