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
    claim_id: null,
    claim_checked: 0,
    claim_value: null,
    claim_unpriced: '0',
    claim_completed_json: null,
    claim_by_acceptance: 0,
    cancel_reason: why.status === 'cancelled' ? 'refunded_elsewhere' : null,
    reopened_by: why.reopenedBy,
    send_id: null,
    problem: why.problem,
    claimed_at: null,
    approved_at: null,
    paid_at: null,
    approval: why.needsApproval ? 1 : 0,
    expires_at: Math.max(link.expires_at, now + REOPENED_MS),
    updated_at: now,
  });
}
