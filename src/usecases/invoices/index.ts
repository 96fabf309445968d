/** Invoices of subscriptions: what the money of a payment does to them, and how both are shown. */
export {
  invoiceDue,
  invoiceOrderId,
  type InvoiceView,
  presentInvoice,
  presentSubscription,
  type SubscriptionView,
} from './present-subscription.ts';
export {
  applyPaymentToInvoice,
  coverDebt,
  payByCredit,
  type ReadKept,
  toMoney,
} from './record-invoice-money.ts';
export { NO_PROBLEM, readMerchant, saveSubscription } from './save-subscription.ts';
export { loadState, periodPrice } from './subscription-state.ts';
