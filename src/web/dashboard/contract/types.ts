import type { Data } from './contract.ts';
import type { Schemas } from '../../../../packages/sdk/src/index.ts';

/** Names for the responses of the API; the types are those of its OpenAPI document. */

export type Pagination = Schemas['Pagination'];
export type User = Schemas['User'];
export type Shop = Schemas['Merchant'];
export type AttentionItem = Schemas['AttentionItem'];
export type Payment = Schemas['Payment'];
export type RefundLink = Schemas['RefundLink'];
export type Customer = Schemas['Customer'];
export type Product = Schemas['Product'];
export type Price = Schemas['Price'];
export type PaymentLink = Schemas['PaymentLink'];
export type Counter = Schemas['Counter'];
export type ListedPaymentLink = Schemas['ListedPaymentLink'];
export type WalletTransaction = Schemas['WalletTransaction'];
export type Send = Schemas['Send'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookLog = Schemas['WebhookLog'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type RestrictedKey = Schemas['RestrictedKey'];
export type CreatedBy = RestrictedKey['createdBy'];
export type Scope = RestrictedKey['scopes'][number];
export type Chain = NonNullable<Data<'GET', '/readyz'>['chains']>[string];

export type Coin = Chain['coin'];
export type Status = Payment['status'];

/** In display order; a status that is added to the API fails to compile here. */
export const STATUSES = Object.keys({
  pending: 0,
  underpaid: 0,
  confirming: 0,
  completed: 0,
  expired: 0,
  cancelled: 0,
  failed: 0,
  refunded: 0,
} satisfies Record<Status, 0>) as Status[];

/** In display order; an exception that is added to the API fails to compile here. */
export const EXCEPTIONS = Object.keys({
  reversed: 0,
  underpaid: 0,
  late: 0,
  overpaid: 0,
  multiple: 0,
} satisfies Record<NonNullable<Payment['exception']>, 0>) as NonNullable<Payment['exception']>[];

type EventType = NonNullable<WebhookEndpoint['events']>[number];

/** In display order; an event that is added to the API fails to compile here. */
export const EVENT_TYPES = Object.keys({
  'payment.created': 0,
  'payment.updated': 0,
  'payment.confirming': 0,
  'payment.underpaid': 0,
  'payment.completed': 0,
  'payment.overpaid': 0,
  'payment.late': 0,
  'payment.expired': 0,
  'payment.cancelled': 0,
  'payment.superseded': 0,
  'payment.reversed': 0,
  'payment.failed': 0,
  'payment.refunded': 0,
  'payment.partially_refunded': 0,
  'payment.refund_failed': 0,
  'refund.claimed': 0,
  'refund.delayed': 0,
  'refund.paid': 0,
  'refund.expired': 0,
  'refund.cancelled': 0,
  'subscription.created': 0,
  'subscription.invoiced': 0,
  'subscription.renewed': 0,
  'subscription.past_due': 0,
  'subscription.paused': 0,
  'subscription.resumed': 0,
  'subscription.cancelled': 0,
  'subscription.ended': 0,
  'subscription.trial_ending': 0,
  'subscription.updated': 0,
  'send.pending_approval': 0,
  'send.rejected': 0,
  'send.expired': 0,
  'send.awaiting_signature': 0,
  'send.broadcast': 0,
  'send.confirmed': 0,
  'send.failed': 0,
  'domain.verified': 0,
  'domain.revoked': 0,
  'webhook.test': 0,
} satisfies Record<EventType, 0>) as EventType[];
