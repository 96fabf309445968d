import type { EventType } from '../../domain/events.ts';

/** When each event is emitted. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'payment.created': 'A payment was created; it is not paid yet.',
  'payment.updated': 'You changed the price or other terms of an unpaid payment.',
  'payment.confirming': 'The full price was detected and waits for its confirmations.',
  'payment.underpaid':
    'The amount received is less than the price. The payer can still pay the rest, or you can accept the payment.',
  'payment.completed': 'The price is paid and confirmed: deliver.',
  'payment.overpaid':
    'The payment completed with more than its price. You decide whether to refund the excess.',
  'payment.late':
    'Money was received after the payment, or an expired payment that it replaces, had ended. Where `exception` ' +
    'is `late`, it waits for your decision.',
  'payment.expired': 'The payment window ended without a payment.',
  'payment.cancelled': 'You cancelled the payment.',
  'payment.superseded':
    'Superseded by a newer payment of the same order (`supersededBy`), which counts all money, including later ' +
    'payments to these addresses.',
  'payment.reversed':
    'Received money was reversed: replaced, double-spent or removed by a reorg. This can happen after completion.',
  'payment.failed': 'The payment can no longer be completed.',
  'payment.refunded':
    'The payment was refunded: the network accepted the last refund of it, or you recorded it as refunded ' +
    'elsewhere.',
  'payment.partially_refunded':
    'The network accepted a refund of a part of the money to an address; `refunds` lists it. A claimed link ' +
    'emits `refund.paid` instead.',
  'payment.refund_failed':
    'A refund failed for good: the payment returns to its previous status and can be refunded again.',
  'refund.claimed': 'The payer claimed a refund with its link; it is sent, or waits for your approval.',
  'refund.delayed':
    'A claimed refund cannot be sent at present: `problem` of the link says why. It is retried; the event is ' +
    'sent once per claim.',
  'refund.paid': 'The network accepted the transaction that pays a claimed refund.',
  'refund.expired': 'The refund was not claimed in time; the link is no longer valid.',
  'refund.cancelled':
    'The refund link ended unpaid, and `cancelReason` says why: you cancelled it, the payer paid on before the order was complete, or you recorded the payment as refunded elsewhere.',
  'subscription.created': 'A subscription was started.',
  'subscription.invoiced': 'The invoice of its next period was made: `invoice`, to be paid by its payment.',
  'subscription.renewed': 'An invoice was paid; `activeUntil` is the new end of the paid period.',
  'subscription.past_due':
    'A period has begun unpaid. The subscription stays active during the grace period, if it was ever paid.',
  'subscription.paused': 'It was paused; its open invoices are closed.',
  'subscription.resumed':
    'It was resumed: its periods are counted on from now, or from the end of the paid time that was left.',
  'subscription.cancelled': 'It was cancelled, and ends with the paid time.',
  'subscription.ended': 'It has ended: at the end of a cancelled period, or because an invoice was not paid.',
  'subscription.trial_ending': 'Its trial ends in three days, or sooner if it is shorter.',
  'subscription.updated':
    'Something else of it changed: its terms, its credit (`note`), or an invoice lost its money or was refunded.',
  'send.pending_approval':
    'A send, refund or claim is above a limit: `approvalReasons` says which. Nothing is signed before it is approved.',
  'send.rejected': 'It was rejected; nothing was sent.',
  'send.expired': 'It was not approved in time; nothing was sent.',
  'send.awaiting_signature':
    'A send from a watched account waits for the signatures of the wallet that has the keys.',
  'send.broadcast': 'The network accepted a transaction you sent.',
  'send.confirmed': 'A transaction you sent is final.',
  'send.failed': 'A transaction you sent failed for good; its coins are available again.',
  'domain.verified': 'The domain of the merchant is verified.',
  'domain.revoked': 'The domain failed its recheck for days and is no longer verified.',
  'webhook.test': 'You requested a test. No money moved.',
};
