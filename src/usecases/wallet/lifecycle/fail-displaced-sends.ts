import type { ChainId } from '../../../domain/coins.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { listDisplacedSends } from '../../../store/sends/open-sends.ts';
import { findSend } from '../../../store/sends/sends.ts';
import { listVersions } from '../../../store/sends/send-versions.ts';
import type { RecordBroadcastDeps } from './record-broadcast-result.ts';
import { applySendFact } from './apply-send-fact.ts';
import { findConflicts } from './find-conflicts.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import { spendsAccounts } from '../send/sender.ts';
import type { Db } from '../../../store/sqlite/database.ts';

/** Sends examined in one round. */
const ROUND_SIZE = 50;

/**
 * Ends sends whose coins a confirmed transaction spent otherwise, and their descendants (sends that spend
 * their change), once that block is too deep for a reorg: until then they could still be mined. On account
 * chains a send draws on a balance, not on an output: it is re-signed from that balance, or ends by proof of
 * its expiry or used nonce.
 */
export async function failDisplacedSends(
  deps: RecordBroadcastDeps & { readonly db: Db; readonly wakeWebhooks: () => void },
  chain: ChainId,
): Promise<void> {
  if (spendsAccounts(chain)) return;
  const tip = await findCursor(deps.db, chain);
  const displaced = tip === undefined ? [] : await listDisplacedSends(deps.db, chain, ROUND_SIZE);
  if (tip === undefined || displaced.length === 0) return;
  const upTo = tip.height - deps.policy.surplusDepth + 1;
  for (const { id } of displaced) {
    try {
      await deps.db.transaction(async (tx) => {
        const send = await findSend(tx, id);
        if (send === undefined) return;
        const conflicts = await findConflicts(tx, chain, await listVersions(tx, id));
        const isExamined = !(await isPossiblyPaid(tx, send));
        await applySendFact(tx, deps, id, { type: 'orphaned', upTo, conflicts, isExamined });
      });
    } catch (error) {
      deps.logger.error({ sendId: id, err: error }, 'send could not be marked as failed; retrying');
    }
  }
  deps.wakeWebhooks();
}
