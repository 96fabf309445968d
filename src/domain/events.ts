import { PAYMENT_EVENT_TYPES } from './payment/types.ts';
import { SUBSCRIPTION_EVENT_TYPES } from './subscription/types.ts';

export const SEND_EVENT_TYPES = [
  'send.awaiting_signature',
  'send.broadcast',
  'send.confirmed',
  'send.failed',
] as const;
/** Of sends above a limit, before anything is signed. */
const APPROVAL_EVENT_TYPES = ['send.pending_approval', 'send.rejected', 'send.expired'] as const;
const REFUND_EVENT_TYPES = [
  'refund.claimed',
  'refund.delayed',
  'refund.paid',
  'refund.expired',
  'refund.cancelled',
] as const;
const DOMAIN_EVENT_TYPES = ['domain.verified', 'domain.revoked'] as const;
const WEBHOOK_EVENT_TYPES = ['webhook.test'] as const;

/** Every event a merchant can receive (design section 5). */
export const EVENT_TYPES = [
  ...PAYMENT_EVENT_TYPES,
  ...REFUND_EVENT_TYPES,
  ...SUBSCRIPTION_EVENT_TYPES,
  ...APPROVAL_EVENT_TYPES,
  ...SEND_EVENT_TYPES,
  ...DOMAIN_EVENT_TYPES,
  ...WEBHOOK_EVENT_TYPES,
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
export type ApprovalEventType = (typeof APPROVAL_EVENT_TYPES)[number];
export type SendEventType = (typeof SEND_EVENT_TYPES)[number];
