import type { Coin } from '../../domain/coins.ts';
import type { CreatorColumns } from './creator.ts';
import type {
  RefundCancelReason,
  ReopenedBy,
  RefundLinkStatus,
  RefundPreset,
  RefundRate,
  RefundRequester,
} from '../../domain/payment/refund-link.ts';

/** A refund that its payer claims through a link. The creator of its send is the link's, or a key that approved it. */
export interface RefundLinkRow extends CreatorColumns {
  id: string;
  merchantId: string;
  paymentId: string;
  /** SHA-256 of the link's token. */
  tokenHash: string;
  /** The token itself, so that the merchant can be shown the link again. */
  tokenSealed: string;
  /** In the payment's currency. */
  amount: string;
  currency: string;
  /** The kind of amount, instead of a fixed one; null also where an earlier version created it. */
  preset: RefundPreset | null;
  rate: RefundRate;
  /** Atoms per available coin, as of its creation: {"BTC":"40000000"}. */
  amountsJson: string;
  approval: boolean;
  deductFee: boolean;
  /** Who opened it: the shop, or the payer on the checkout page of an overpaid order. */
  requestedBy: RefundRequester;
  reason: string | null;
  status: RefundLinkStatus;
  /** The claim: the chosen coin, atoms of the payment's money that it uses, and their destination. */
  coin: Coin | null;
  claimed: string | null;
  destination: string | null;
  /** Identifies the claim, so that an approval cannot apply to another one. */
  claimId: string | null;
  /** Whether the network was asked about the claim before it was accepted, or was unavailable. */
  claimChecked: boolean;
  /** Why the last claim was dropped and the link reopened: its amount, its address, or a failed send. */
  reopenedBy: ReopenedBy | null;
  /** The send that pays the claim; null until it is stored, and again once it failed for good. */
  sendId: string | null;
  /** Why the claim is not paid yet, or why it was reopened. */
  problem: string | null;
  /** Why it was cancelled; null also where an earlier version did that. */
  cancelReason: RefundCancelReason | null;
  /**
   * Whether the order was complete when the link was created. If not, it refunds at most the excess once it
   * is.
   */
  openedComplete: boolean;
  /**
   * For the claim, as for a refund: the returned share of the price, atoms of unknown rate, and the atoms
   * with which the order was complete.
   */
  claimValue: string | null;
  claimUnpriced: string;
  claimCompletedJson: string | null;
  claimByAcceptance: boolean;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  claimedAt: number | null;
  approvedAt: number | null;
  paidAt: number | null;
}
