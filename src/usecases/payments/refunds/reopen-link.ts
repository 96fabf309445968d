import type { ReopenedBy } from '../../../domain/payment/refund-link.ts';
import type { Clock } from '../../../domain/ports.ts';
import { updateRefundLink, type StoredRefundLink } from '../../../store/payments/refund-links.ts';
import type { Tx } from '../../../store/sqlite/database.ts';

/** A link whose claim was dropped stays claimable for at least this long, even past its expiry. */
const REOPENED_MS = 7 * 24 * 3_600_000;

/**
 * Drops the claim of a link, which can be claimed again. Its merchant must be notified in the same
 * transaction.
 */
export async function reopenLink(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  link: StoredRefundLink,
  why: {
    readonly reopenedBy: ReopenedBy;
    readonly problem: string | null;
    readonly needsApproval: boolean;
    readonly status: 'open' | 'cancelled';
  },
): Promise<StoredRefundLink> {
  const now = clock.now();
  return updateRefundLink(tx, link.id, {
    status: why.status,
    coin: null,
    claimed: null,
    destination: null,
    claimId: null,
    claimChecked: false,
    claimValue: null,
    claimUnpriced: '0',
    claimCompletedJson: null,
    claimByAcceptance: false,
    cancelReason: why.status === 'cancelled' ? 'refunded_elsewhere' : null,
    reopenedBy: why.reopenedBy,
    sendId: null,
    problem: why.problem,
    claimedAt: null,
    approvedAt: null,
    paidAt: null,
    approval: why.needsApproval,
    expiresAt: Math.max(link.expiresAt, now + REOPENED_MS),
    updatedAt: now,
  });
}
