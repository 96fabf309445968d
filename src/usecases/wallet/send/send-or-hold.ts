import { AppError } from '../../../domain/errors.ts';
import { ApprovalRequired } from '../../../domain/send/spending-limits.ts';
import {
  findApprovalByKey,
  findApprovalOfClaim,
  type StoredApproval,
} from '../../../store/sends/send-approvals.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { newId } from '../../events/index.ts';
import { type HoldTerms, storeHeldSend } from './held-send.ts';
import { findRepeat, makeSend, type SendCoinsDeps, type SendRequest, requireNotFailed } from './make-send.ts';

/** A send, or one that waits for an approval. */
export type PlacedSend =
  { readonly send: StoredSend; readonly held: null } | { readonly send: null; readonly held: StoredApproval };

/**
 * Makes a send by makeSend, or returns the existing one of this request. Where makeSend refuses one above a limit, stores
 * its order instead, unsigned, to wait for an approval. @throws {AppError} like sendCoins; {ApprovalRequired} for one that does not wait for an approval.
 */
export async function sendOrHold(deps: SendCoinsDeps, request: SendRequest): Promise<PlacedSend> {
  const waiting = await findHeldRepeat(deps.db, request);
  if (waiting !== null) return { send: null, held: waiting };
  try {
    return { send: await makeSend(deps, request), held: null };
  } catch (error) {
    if (!(error instanceof ApprovalRequired) || request.approval !== undefined) throw error;
    if (request.hold === null) throw error;
    return await holdSend(deps, { ...request, hold: request.hold }, error);
  }
}

async function holdSend(
  deps: SendCoinsDeps,
  request: SendRequest & { readonly hold: HoldTerms },
  required: ApprovalRequired,
): Promise<PlacedSend> {
  const { creator, idempotencyKey, hold: terms } = request;
  const ttlMs = deps.policy.approvalTtlMs;
  const placed = await deps.db.transaction(async (tx): Promise<PlacedSend> => {
    // Another request with the same key may have been faster.
    const send = await findRepeat(tx, request);
    if (send !== null) return { send: requireNotFailed(send), held: null };
    const waiting = await findHeldRepeat(tx, request);
    if (waiting !== null) return { send: null, held: waiting };
    const id = newId('snd_');
    const held = await storeHeldSend(tx, deps, { id, required, terms, creator, idempotencyKey, ttlMs });
    return { send: null, held };
  });
  if (placed.held !== null) {
    const { id: sendId, coin, mode, reasons } = placed.held;
    deps.logger.warn({ sendId, coin, mode, reasons }, 'send waits for an approval');
  }
  deps.wakeWebhooks();
  return placed;
}

/** The same request while it waits, or after it was not approved. @throws {AppError} IDEMPOTENCY_MISMATCH */
async function findHeldRepeat(db: Db, request: SendRequest): Promise<StoredApproval | null> {
  const { merchantId, idempotencyKey, approval, hold } = request;
  if (approval !== undefined || hold === null) return null;
  if (hold.linkId !== undefined) {
    const { linkId, claimId = null } = hold;
    return (await findApprovalOfClaim(db, { linkId, claimId })) ?? null;
  }
  if (idempotencyKey === null) return null;
  const held = await findApprovalByKey(db, merchantId, idempotencyKey);
  if (held === undefined || held.status === 'approved') return null;
  if (held.requestJson === JSON.stringify(hold.request)) return held;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for a different send');
}
