import type { ChainId } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import {
  claimsToSend,
  findRefundLink,
  updateRefundLink,
  type StoredRefundLink,
} from '../../../store/payments/refund-links.ts';
import { findFreezes, frozenMessage } from '../../../store/sends/wallet-freezes.ts';
import { toCreator } from '../../../store/creators.ts';
import type { StoredApproval } from '../../../store/sends/send-approvals.ts';
import { describeReasons } from '../../../domain/send/spending-limits.ts';
import { applyRefunds, emitRefundEvent, reopenLink } from '../../payments/index.ts';
import { storeClaimedRefund } from '../store-refund.ts';
import {
  type Approve,
  sendOrHold,
  type RetryBackoff,
  type SendCoinsDeps,
  type SendRequest,
} from '../../wallet/index.ts';
import { hasClaimEvent } from '../../../store/webhooks/events.ts';
import { pendingConfirmationsOfClaim, orderClaim } from './claim-order.ts';

export interface SendClaimsDeps extends SendCoinsDeps {
  readonly claimBackoff: RetryBackoff;
}

/**
 * Claims read in one round: far more than ever wait at a time, because unsendable claims would otherwise hide
 * the others.
 */
const ROUND_SIZE = 5_000;

/**
 * One round over the claims that wait for their send: each is sent like any refund, its signed bytes stored
 * together with the link's reference to it, so that a claim has exactly one send at any crash. Unsendable
 * claims record their reason and are retried.
 */
export async function sendClaims(deps: SendClaimsDeps): Promise<void> {
  const waiting = await claimsToSend(deps.db, ROUND_SIZE);
  const chains = Map.groupBy(waiting, ({ coin, mode }) => `${coin}/${mode}`);
  // A slow node must not delay the other chains.
  await Promise.all(
    [...chains.values()].map(async (claims) => {
      for (const claim of claims) {
        if (deps.claimBackoff.isResting(claim.id)) continue;
        if ((await sendClaim(deps, claim)) === 'node-failed') break;
      }
    }),
  );
}

async function sendClaim(
  deps: SendClaimsDeps,
  { id, coin, mode }: ChainId & { readonly id: string },
): Promise<'tried' | 'node-failed'> {
  const link = await findRefundLink(deps.db, id);
  if (link === undefined) return 'tried';
  try {
    const [freeze] = await findFreezes(deps.db, link.merchantId);
    const awaited =
      freeze === undefined ? await pendingConfirmationsOfClaim(deps.db, deps, link) : frozenMessage(freeze);
    if (awaited !== null) {
      // Resolves without action of the payer, as with a node that is down.
      await noteProblem(deps, id, { problem: awaited, isNodes: true });
      return 'tried';
    }
    const { held } = await sendOrHold(deps, toRequest(deps, link));
    if (held !== null) await noteProblem(deps, id, { problem: describeApproval(held), isNodes: true });
    deps.claimBackoff.recordSuccess(id);
    return 'tried';
  } catch (error) {
    const reason = error instanceof AppError ? error.message : 'internal error: see the log';
    if (error instanceof AppError && error.code === 'WALLET_FROZEN') {
      await noteProblem(deps, id, { problem: reason, isNodes: true });
      return 'tried';
    }
    const refusal = permanentRefusal(link, error);
    if (refusal !== null && (await dropClaim(deps, link, refusal, reason))) return 'tried';
    const fault = error instanceof AppError && error.code === 'NODE_UNAVAILABLE' ? 'node' : 'own';
    if (deps.claimBackoff.recordFailure(id, reason, fault)) {
      deps.logger.error(
        { linkId: id, coin, mode, err: error },
        'sending a claimed refund failed; will retry',
      );
    }
    await noteProblem(deps, id, { problem: reason, isNodes: fault === 'node' });
    return fault === 'node' ? 'node-failed' : 'tried';
  }
}

function toRequest(deps: SendCoinsDeps, link: StoredRefundLink): SendRequest {
  const { id, merchantId, paymentId, claimId } = link;
  return {
    merchantId,
    creator: toCreator(link),
    idempotencyKey: null,
    hold: { kind: 'claim', paymentId, linkId: id, claimId, request: null },
    repeated: async (_db, earlier) => earlier,
    order: async (db) => orderClaim(db, deps, id),
    stored: async (tx, send, order) => {
      await storeClaimedRefund(tx, deps, { send, paymentId, atoms: order.amount }, link);
    },
  };
}

function describeApproval({ reasons }: StoredApproval): string {
  return `It waits for an approval: ${describeReasons(reasons)}`;
}

/** Sends a claim that was approved. @throws {AppError} INVALID_STATE when it is no longer the approved one, and like sendCoins */
export async function sendApprovedClaim(
  deps: SendCoinsDeps,
  { held, approve }: { readonly held: StoredApproval; readonly approve: Approve },
): Promise<void> {
  const link = held.linkId === null ? undefined : await findRefundLink(deps.db, held.linkId);
  if (link === undefined) throw new AppError('LINK_NOT_FOUND', 'No such refund link');
  const request = toRequest(deps, link);
  await sendOrHold(deps, {
    ...request,
    order: async (db) => {
      const now = await findRefundLink(db, link.id);
      if (now?.claimId !== held.claimId)
        throw new AppError('INVALID_STATE', 'the link has another claim by now');
      return request.order(db);
    },
    approval: { id: held.id, maxFee: BigInt(held.maxFee), approve },
  });
}

/**
 * Why a claim can never be sent: its address cannot receive money, or its amount was not validated when it was claimed
 * and is too small. A validated amount is retried once fees fall.
 */
function permanentRefusal(link: StoredRefundLink, error: unknown): 'amount' | 'destination' | null {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_INVALID') return null;
  const field = error.details[0]?.field;
  if (field === 'destination') return field;
  return field === 'amount' && !link.claimChecked ? field : null;
}

/**
 * Reopens a link whose claim cannot be sent, so that the payer may claim it differently. False: retry later.
 */
async function dropClaim(
  deps: SendClaimsDeps,
  link: StoredRefundLink,
  reopenedBy: 'amount' | 'destination',
  problem: string,
): Promise<boolean> {
  const { id } = link;
  try {
    await deps.db.transaction(async (tx) => {
      const now = await findRefundLink(tx, id);
      if (now === undefined || !isUnsent(now) || now.claimId !== link.claimId) return;
      const needsApproval = now.approval;
      const open = await reopenLink(tx, deps, now, { reopenedBy, problem, needsApproval, status: 'open' });
      await applyRefunds(tx, deps, now.paymentId);
      await emitRefundEvent(tx, deps, 'payment.refund_failed', open);
    });
  } catch (error) {
    deps.logger.error({ linkId: id, err: error }, 'reopening a refund link failed; will retry');
    return false;
  }
  deps.claimBackoff.recordSuccess(id);
  deps.logger.warn({ linkId: id, reason: problem }, 'claimed refund cannot be sent; its link is open again');
  deps.wakeWebhooks();
  return true;
}

/**
 * For the merchant; ignored once the claim has its send or was reopened. A problem without a node fault is an
 * event, once per claim: the wallet may lack the money for days.
 */
async function noteProblem(
  deps: SendClaimsDeps,
  id: string,
  { problem, isNodes }: { readonly problem: string; readonly isNodes: boolean },
): Promise<void> {
  try {
    await deps.db.transaction(async (tx) => {
      const link = await findRefundLink(tx, id);
      if (link === undefined || !isUnsent(link) || link.problem === problem) return;
      await updateRefundLink(tx, id, { problem, updatedAt: deps.clock.now() });
      if (isNodes || (await hasClaimEvent(tx, link, 'refund.delayed'))) return;
      await emitRefundEvent(tx, deps, 'refund.delayed', { ...link, problem });
    });
    deps.wakeWebhooks();
  } catch (error) {
    deps.logger.error({ linkId: id, err: error }, 'recording the reason why a refund was not sent failed');
  }
}

function isUnsent({ status, sendId }: StoredRefundLink): boolean {
  return (status === 'claimed' || status === 'approved') && sendId === null;
}
