import type { Coin } from '../../domain/coins.ts';
import type {
  RefundCancelReason,
  ReopenedBy,
  RefundLinkStatus,
  RefundPreset,
  RefundRate,
} from '../../domain/payment/refund-link.ts';
import type { Flag } from './flag.ts';

/** A refund that its payer claims by a link. */
export interface RefundLinkRow {
  id: string;
  merchant_id: string;
  payment_id: string;
  /** SHA-256 of the link's token. */
  token_hash: string;
  /** The token itself, so that the merchant can be shown the link again. */
  token_sealed: string;
  /** In the payment's currency. */
  amount: string;
  currency: string;
  /** What it was made for in place of an amount; null also where a former version made it. */
  preset: RefundPreset | null;
  rate: RefundRate;
  /** Atoms per coin that may be chosen, as of its creation: {"BTC":"40000000"}. */
  amounts_json: string;
  approval: Flag;
  deduct_fee: Flag;
  reason: string | null;
  status: RefundLinkStatus;
  /** The claim: the coin chosen, atoms of the payment's money that it takes, and where they go. */
  coin: Coin | null;
  claimed: string | null;
  destination: string | null;
  /** Names the claim, so that nobody agrees to another one. */
  claim_id: string | null;
  /** Whether the network was asked about the claim before it was taken, or could not be. */
  claim_checked: Flag;
  /** Why the last claim was dropped and the link opened again: its amount, its address, or a send that failed. */
  reopened_by: ReopenedBy | null;
  /** The send that pays the claim; null until it is stored, and again once it failed for good. */
  send_id: string | null;
  /** Why the claim is not paid yet, or why it was opened again. */
  problem: string | null;
  /** Why it was cancelled; null also where a former version did that. */
  cancel_reason: RefundCancelReason | null;
  /** Whether the order was complete when the link was made. If not, it gives back no more than the excess once it is. */
  opened_complete: Flag;
  /**
   * Of the claim, as with a refund: the share of the price that it gives back, atoms of unknown rate, and the atoms by
   * which the order was complete.
   */
  claim_value: string | null;
  claim_unpriced: string;
  claim_completed_json: string | null;
  claim_by_acceptance: Flag;
  created_at: number;
  updated_at: number;
  expires_at: number;
  claimed_at: number | null;
  approved_at: number | null;
  paid_at: number | null;
}
