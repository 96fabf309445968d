import { approvalsToExpire, decideApproval, findApproval } from '../../store/sends/send-approvals.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { SecretBox } from '../../domain/keys.ts';
import { auditDaemon } from '../accounts/index.ts';
import type { EmitEventDeps } from '../events/index.ts';
import { emitApprovalEvent } from '../wallet/index.ts';

export interface ExpireApprovalsDeps extends EmitEventDeps {
  readonly db: Db;
  readonly secretBox: SecretBox;
  readonly wakeWebhooks: () => void;
}

const ACTOR = { actorId: 'approvals', actorName: 'Approval of sends' };

/** Maximum number per round. */
const ROUND_SIZE = 100;

/** Ends the sends that were not approved in time. A claim is asked for again, because its payer still waits. */
export async function expireApprovals(deps: ExpireApprovalsDeps): Promise<void> {
  const due = await approvalsToExpire(deps.db, deps.clock.now(), ROUND_SIZE);
  for (const id of due) {
    try {
      await deps.db.transaction(async (tx) => {
        const now = deps.clock.now();
        const held = await findApproval(tx, id);
        if (held === undefined || now < held.expiresAt) return;
        if (!(await decideApproval(tx, id, { status: 'expired', decidedBy: null, now }))) return;
        const { merchantId } = held;
        const entry = { ...ACTOR, merchantId, action: 'approval expired', objectId: id, result: 'OK' };
        await auditDaemon(tx, deps, entry);
        await emitApprovalEvent(tx, deps, 'send.expired', { ...held, status: 'expired', updatedAt: now });
      });
    } catch (error) {
      deps.logger.error({ sendId: id, err: error }, 'recording the expiry of an approval failed; will retry');
    }
  }
  if (due.length > 0) deps.wakeWebhooks();
}
