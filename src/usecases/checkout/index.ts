/** What the checkout page of a payment shows, its receipt by e-mail, and the renewal of an expired one. */
export {
  type AmountDue,
  type CheckoutView,
  hasReceipt,
  readCheckout,
  type ReadCheckoutDeps,
  readStamps,
} from './read-checkout.ts';
export { mailReceipt, readReceiptMail, type ReceiptMail, type ReceiptMailDeps } from './receipt-mail.ts';
export { renewPayment } from './renew-payment.ts';
