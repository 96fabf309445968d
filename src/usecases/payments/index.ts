/** Payments: creation, quotes, the state machine's facts, expiry, depth, refunds as a payment sees them. */
export { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
export { createPayment, type CreatePaymentDeps, createWithOffers, storePayment } from './create-payment.ts';
export { cancelPayment, resolvePayment } from './decide-payment.ts';
export { expirePayments } from './expire-payments.ts';
export { ExpiryBalanceCheck, type Uncredited } from './expiry-balance-check.ts';
export { findOwnGroupLead, findOwnPayment, getPayment } from './get-payment.ts';
export { withKept } from './kept-money.ts';
export { listPayments } from './list-payments.ts';
export { type LoadedPayment, loadPayment } from './load-payment.ts';
export { offersFor, type RequestedConfirmations, shopOffers, stillAllowed } from './offers.ts';
export { readPaymentNote, writePaymentNote } from './payment-note.ts';
export { PaymentChangeBus } from './payment-change-bus.ts';
export { type LoadPaymentDeps, refundColumns } from './payment-state.ts';
export {
  payerView,
  type PaymentView,
  type PresentDeps,
  presentPayment,
  presentRefund,
  type RefundView,
} from './present-payment.ts';
export { quoteLatePayments } from './quote-late-payments.ts';
export { recheckDepths } from './recheck-depths.ts';
export { recordObservations, type SeenCredit } from './record-observations.ts';
export { applyRefunds } from './refunds/apply-refunds.ts';
export { emitRefundEvent } from './refunds/emit-refund-event.ts';
export { linkUrl, openUrl, presentLink, type RefundLinkView } from './refunds/present-link.ts';
export { recordRefund } from './refunds/record-refund.ts';
export { reopenLink } from './refunds/reopen-link.ts';
export type { PaymentLine } from './payment-lines.ts';
export type { PriceChoice } from './resolve-price.ts';
export { SCENARIOS, simulatePayment, type SimulatePaymentDeps } from './simulate-payment.ts';
export { changeInvoiceAmount, updatePayment } from './update-payment.ts';
