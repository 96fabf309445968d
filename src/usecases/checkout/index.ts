/** The checkout page of a payment, its receipt by email, and the renewal of an expired payment. */
export {
  type AmountDue,
  type CheckoutView,
  hasReceipt,
  readCheckout,
  type ReadCheckoutDeps,
  readStamps,
} from './read-checkout.ts';
export {
  choosePayerMailbox,
  findPayerMailbox,
  mailReceipt,
  readReceiptMail,
  type ReceiptMail,
  type ReceiptMailDeps,
} from './receipt-mail.ts';
export { renewPayment } from './renew-payment.ts';
