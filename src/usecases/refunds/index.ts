/** Refunds to an address and refund links: terms, claims, approval, and the sends that pay them. */
export { describeAddressProblem, type AddressProblem } from './links/address-problem.ts';
export { type ClaimLinkDeps, type ClaimPreview, claimRefundLink, previewClaim } from './links/claim-link.ts';
export { type CreateLinkDeps, createRefundLink } from './links/create-link.ts';
export { approveLink, cancelLink, cancelClaimedLink, type DecideLinkDeps } from './links/decide-link.ts';
export { expireLinks } from './links/expire-links.ts';
export { listLinks, type ListLinksDeps, type VisibleUrls } from './links/list-links.ts';
export { type ClaimOption, claimOptions, type PayerLink, readPayerLink } from './links/payer-link.ts';
export { type Excess, readExcess, readMoneyAfterRefund } from './links/read-excess.ts';
export {
  type ExcessRequest,
  previewExcess,
  readExcessPage,
  readExcessRequest,
  requestExcess,
  type RequestExcessDeps,
} from './links/request-excess.ts';
export { sendApprovedClaim, sendClaims } from './links/send-claims.ts';
export { refundApproved, refundPayment, type RefundPaymentDeps } from './refund-payment.ts';
