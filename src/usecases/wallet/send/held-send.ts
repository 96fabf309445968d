import type { Creator } from '../../../domain/actor.ts';
import { AppError } from '../../../domain/errors.ts';
import { isoTime } from '../../../domain/iso-time.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import type { ApprovalEventType } from '../../../domain/events.ts';
import type { ApprovalKind } from '../../../domain/send/approval.ts';
import type { ApprovalRequired } from '../../../domain/send/spending-limits.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { findRestrictedKeyCreator } from '../../../store/merchants/restricted-keys.ts';
import {
  countPendingApprovals,
  insertApproval,
  PENDING_MAX,
  type StoredApproval,
} from '../../../store/sends/send-approvals.ts';
import { insertApprovalNotice } from '../../../store/notices/notices.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { emitEvent, type EmitEventDeps } from '../../events/index.ts';
import { type SendView, viewOutputs } from './send-view.ts';
import { OWN_WALLET } from './watched-account.ts';

/** The request of a send, in case it has to wait for an approval. */
export interface HoldTerms {
  readonly kind: ApprovalKind;
  /** From which the send is made once it is approved; JSON. */
  readonly request: unknown;
  readonly note?: string | null | undefined;
  readonly paymentId?: string;
  readonly linkId?: string;
  readonly claimId?: string | null;
}

/**
 * Stores a send that needs an approval: as an order alone. Nothing is signed or reserved for it. Those who may approve it
 * are notified.
 * @throws {AppError} INVALID_STATE when too many wait
 */
export async function storeHeldSend(
  tx: Tx,
  deps: EmitEventDeps,
  held: {
    readonly id: string;
    readonly required: ApprovalRequired;
    readonly terms: HoldTerms;
    readonly creator: Creator | null;
    readonly idempotencyKey: string | null;
    readonly ttlMs: number;
  },
): Promise<StoredApproval> {
  const { id, required, terms, creator, idempotencyKey, ttlMs } = held;
  const { merchantId, coin, mode, destination, outputsJson, watchId = null, ...planned } = required.send;
  const { subtractFee, ordered, amount, fee, maxFee } = planned;
  if ((await countPendingApprovals(tx, merchantId)) >= PENDING_MAX) {
    throw new AppError('INVALID_STATE', `${PENDING_MAX} sends wait for an approval: decide them first`);
  }
  const now = deps.clock.now();
  const approval: StoredApproval = {
    id,
    merchantId,
    coin,
    mode,
    kind: terms.kind,
    destination,
    subtractFee,
    ordered,
    amount,
    fee,
    maxFee,
    outputsJson,
    watchId,
    note: terms.note ?? null,
    requestJson: JSON.stringify(terms.request),
    reasons: required.reasons,
    paymentId: terms.paymentId ?? null,
    linkId: terms.linkId ?? null,
    claimId: terms.claimId ?? null,
    creatorKind: creator?.kind ?? null,
    creatorId: creator?.id ?? null,
    askerId: await findAsker(tx, merchantId, creator),
    status: 'pending',
    idempotencyKey,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + ttlMs,
    decidedBy: null,
  };
  await insertApproval(tx, approval);
  await insertApprovalNotice(tx, { merchantId, mode }, now);
  await emitApprovalEvent(tx, deps, 'send.pending_approval', approval);
  return approval;
}

/** The user behind an order: a key acts for the user who created it, the secret key for the owner. */
async function findAsker(db: Db, merchantId: string, creator: Creator | null): Promise<string | null> {
  if (creator === null) return null;
  if (creator.kind === 'user') return creator.id;
  const key = creator.kind === 'restricted' ? await findRestrictedKeyCreator(db, creator.id) : null;
  return key ?? (await findMerchant(db, merchantId))?.userId ?? null;
}

/** Emits the event of a send that waits for an approval, in the transaction of its change. */
export async function emitApprovalEvent(
  tx: Tx,
  deps: EmitEventDeps,
  type: ApprovalEventType,
  approval: StoredApproval,
): Promise<void> {
  const merchant = await findMerchant(tx, approval.merchantId);
  await emitEvent(tx, deps, {
    merchant: { id: approval.merchantId, webhookUrl: merchant?.webhookUrl ?? null },
    type,
    mode: approval.mode,
    paymentId: null,
    sendId: null,
    approvalId: approval.id,
    sequence: 0,
    data: { send: viewHeldSend(approval) },
    paymentWebhookUrl: null,
  });
}

/** A send that waits for an approval, or was not approved, as the API presents sends. */
export function viewHeldSend(approval: StoredApproval): SendView {
  const { id, coin, mode, status, destination, subtractFee, note } = approval;
  return {
    id,
    status: status === 'rejected' || status === 'expired' ? status : 'pending_approval',
    coin,
    sandbox: mode === 'sandbox',
    from: approval.watchId ?? OWN_WALLET,
    txHash: null,
    fee: formatCoinAmount(BigInt(approval.fee), coin),
    amount: formatCoinAmount(BigInt(approval.amount), coin),
    destination,
    outputs: viewOutputs(approval),
    subtractFee,
    confirmations: 0,
    parts: null,
    error: null,
    note,
    reason: null,
    maxFee: formatCoinAmount(BigInt(approval.maxFee), coin),
    feeLimited: false,
    cancelling: false,
    psbt: null,
    signatures: null,
    expiresAt: isoTime(approval.expiresAt),
    approvalReasons: [...approval.reasons],
    createdAt: isoTime(approval.createdAt),
    updatedAt: isoTime(approval.updatedAt),
  };
}
