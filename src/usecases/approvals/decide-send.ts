import { AppError, assertNever } from '../../domain/errors.ts';
import { decideApproval, findApproval, type StoredApproval } from '../../store/sends/send-approvals.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import {
  cancelClaimedLink,
  refundApproved,
  type RefundPaymentDeps,
  sendApprovedClaim,
} from '../refunds/index.ts';
import {
  type Approve,
  emitApprovalEvent,
  getSend,
  sendApproved,
  type SendView,
  viewHeldSend,
} from '../wallet/index.ts';
import { type Person, requireDecider, requireMayApprove } from './may-approve.ts';

export type ApprovalDeps = RefundPaymentDeps;

/** A decision on a send that waits for an approval. */
export interface Decision extends Person {
  readonly merchantId: string;
  readonly sendId: string;
}

/**
 * Approves a send above a limit: it is made as ordered, and counts on this day. Repeating the approval shows the send.
 * @throws {AppError} SEND_NOT_FOUND, MERCHANT_NOT_FOUND, FORBIDDEN, INVALID_STATE (rejected, expired), and like the order
 * itself: it waits on if it cannot be made now
 */
export async function approveSend(deps: ApprovalDeps, decision: Decision): Promise<SendView> {
  const { userId, merchantId, sendId } = decision;
  const merchant = await requireDecider(deps, decision);
  const held = await requireApproval(deps.db, decision);
  await requireMayApprove(deps, decision, held);
  if (held.status !== 'approved') {
    requirePending(held, deps.clock.now());
    await makeApproved(deps, merchant, held, async (tx) => {
      // Permissions may have changed since.
      await requireMayApprove({ ...deps, db: tx }, decision, held);
      const now = deps.clock.now();
      if (await decideApproval(tx, held.id, { status: 'approved', decidedBy: userId, now })) return;
      requirePending((await findApproval(tx, held.id)) ?? held, now);
      throw new AppError('INVALID_STATE', 'this send was approved already');
    });
    deps.logger.info({ sendId, merchantId, userId }, 'send above a limit approved');
  }
  return getSend(deps, { merchantId, sendId });
}

async function makeApproved(
  deps: ApprovalDeps,
  merchant: MerchantRow,
  held: StoredApproval,
  approve: Approve,
): Promise<void> {
  switch (held.kind) {
    case 'send':
      await sendApproved(deps, { merchant, held, approve });
      return;
    case 'refund':
      return refundApproved(deps, { merchant, held, approve });
    case 'claim':
      return sendApprovedClaim(deps, { held, approve });
    default:
      assertNever(held.kind);
  }
}

/**
 * Rejects a send above a limit: nothing is sent; a claim's link is cancelled. The owner and each approver may. Repeating the rejection changes nothing.
 * @throws {AppError} SEND_NOT_FOUND, MERCHANT_NOT_FOUND, FORBIDDEN, INVALID_STATE (approved, expired)
 */
export async function rejectSend(
  deps: ApprovalDeps,
  decision: Decision,
  storeResult: StoreResult<SendView> = storeNoResult,
): Promise<SendView> {
  const view = await deps.db.transaction(async (tx) => {
    await requireDecider({ ...deps, db: tx }, decision);
    const held = await requireApproval(tx, decision);
    const rejected = held.status === 'rejected' ? held : await reject(tx, deps, held, decision.userId);
    const shown = viewHeldSend(rejected);
    await storeResult(tx, shown);
    return shown;
  });
  deps.wakeWebhooks();
  return view;
}

async function reject(
  tx: Tx,
  deps: ApprovalDeps,
  held: StoredApproval,
  userId: string,
): Promise<StoredApproval> {
  const now = deps.clock.now();
  if (!(await decideApproval(tx, held.id, { status: 'rejected', decidedBy: userId, now })))
    requirePending(held, now);
  const rejected = { ...held, status: 'rejected', decidedBy: userId, updatedAt: now } as const;
  await emitApprovalEvent(tx, deps, 'send.rejected', rejected);
  await cancelClaimedLink(tx, deps, rejected);
  return rejected;
}

async function requireApproval(
  db: Db,
  { merchantId, sendId }: Pick<Decision, 'merchantId' | 'sendId'>,
): Promise<StoredApproval> {
  const held = await findApproval(db, sendId);
  if (held === undefined || held.merchantId !== merchantId) {
    throw new AppError('SEND_NOT_FOUND', 'no such send waits for an approval');
  }
  return held;
}

/** @throws {AppError} INVALID_STATE */
function requirePending({ status, expiresAt }: StoredApproval, now: number): void {
  if (status !== 'pending') throw new AppError('INVALID_STATE', `this send is ${status}`);
  if (now >= expiresAt) throw new AppError('INVALID_STATE', 'this send is expired');
}
