import type { Clock } from '../../../domain/ports.ts';
import { markWatchRestored } from '../../../store/ledger/watch-accounts.ts';
import { writeMeta } from '../../../store/meta.ts';
import { holdUnpaidLinks } from '../../../store/payments/refund-links.ts';
import { markApprovalsRestored } from '../../../store/sends/send-approvals.ts';
import { markLimitsUnconfirmed } from '../../../store/sends/wallet-limits.ts';
import { markForwardsRestored } from '../../../store/sends/wallet-forwards.ts';
import type { Db } from '../../../store/sqlite/database.ts';

const PAID_SINCE = 'the database is an older copy: check on the chain whether this refund was paid since';
const DESTINATION_SINCE =
  'the database is an older copy: check the destination, which may have changed since, and switch the forward on again';

/**
 * Records that the database is an older copy of itself, so that everything the chains show from now on is new
 * to it. A refund link recorded as unpaid may have been paid since, so no claim is sent without the
 * merchant's approval, and each pending approval says so. Limits may have been lowered since, and destinations of
 * forwards and watched accounts replaced, so nothing is sent by them, and no order is paid to them, before their owner
 * confirms them.
 */
export async function markRestored(db: Db, clock: Clock): Promise<void> {
  const now = clock.now();
  await db.transaction(async (tx) => {
    await writeMeta(tx, 'restored_at', String(now));
    await holdUnpaidLinks(tx, { problem: PAID_SINCE, now });
    await markApprovalsRestored(tx);
    await markLimitsUnconfirmed(tx);
    await markForwardsRestored(tx, DESTINATION_SINCE, now);
    await markWatchRestored(tx, now);
  });
}
