import { findRefundLink, linksToExpire, updateRefundLink } from '../../../store/payments/refund-links.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { type ApplyFactsDeps, emitRefundEvent } from '../../payments/index.ts';

export interface ExpireLinksDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly wakeWebhooks: () => void;
}

/** Maximum links per round. */
const ROUND_SIZE = 100;

/** Expires unclaimed links; a claimed one never expires. */
export async function expireLinks(deps: ExpireLinksDeps): Promise<void> {
  const due = await linksToExpire(deps.db, deps.clock.now(), ROUND_SIZE);
  for (const id of due) {
    try {
      await deps.db.transaction(async (tx) => {
        const link = await findRefundLink(tx, id);
        const now = deps.clock.now();
        if (link?.status !== 'open' || now < link.expiresAt) return;
        const expired = await updateRefundLink(tx, id, { status: 'expired', updatedAt: now });
        await emitRefundEvent(tx, deps, 'refund.expired', expired);
      });
    } catch (error) {
      deps.logger.error(
        { linkId: id, err: error },
        'recording the expiry of a refund link failed; will retry',
      );
    }
  }
  if (due.length > 0) deps.wakeWebhooks();
}
