import type { Creator } from '../../../domain/actor.ts';
import { AppError } from '../../../domain/errors.ts';
import type { SecretBox } from '../../../domain/keys.ts';
import {
  findRefundLink,
  updateRefundLink,
  type StoredRefundLink,
} from '../../../store/payments/refund-links.ts';
import { creatorColumns } from '../../../store/creators.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import {
  type ApplyFactsDeps,
  applyRefunds,
  emitRefundEvent,
  openUrl,
  presentLink,
  type RefundLinkView,
} from '../../payments/index.ts';

export interface DecideLinkDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly secretBox: SecretBox;
  readonly wakeWebhooks: () => void;
  /** Sends the claims that can be sent. */
  readonly sendClaims: () => Promise<void>;
}

interface At {
  readonly merchantId: string;
  readonly linkId: string;
}

/**
 * Ends a link, even a claimed one while no send of it is signed; ending it twice changes nothing.
 * @throws {AppError} LINK_NOT_FOUND; INVALID_STATE once it is being paid, was paid or expired
 */
export async function cancelLink(deps: DecideLinkDeps, at: At): Promise<RefundLinkView> {
  const link = await deps.db.transaction(async (tx) => {
    const link = await ownLink(tx, at);
    if (link.status === 'cancelled') return link;
    if (link.sendId !== null && link.status !== 'paid') throw notNow('is being paid');
    if (link.status === 'paid' || link.status === 'expired') throw notNow(`is ${link.status}`);
    return endLink(tx, deps, link);
  });
  deps.wakeWebhooks();
  return presentLink(link, openUrl(deps, link));
}

/** Cancels the link of a claim whose send was rejected, if it still has that claim and no send. */
export async function cancelClaimedLink(
  tx: Tx,
  deps: ApplyFactsDeps,
  { linkId, claimId }: { readonly linkId: string | null; readonly claimId: string | null },
): Promise<void> {
  const link = linkId === null ? undefined : await findRefundLink(tx, linkId);
  if (link === undefined || link.claimId !== claimId || link.sendId !== null) return;
  if (link.status === 'claimed' || link.status === 'approved') await endLink(tx, deps, link);
}

async function endLink(tx: Tx, deps: ApplyFactsDeps, link: StoredRefundLink): Promise<StoredRefundLink> {
  const cancelled = {
    status: 'cancelled',
    cancelReason: 'cancelled',
    updatedAt: deps.clock.now(),
  } as const;
  const ended = await updateRefundLink(tx, link.id, cancelled);
  await applyRefunds(tx, deps, link.paymentId);
  await emitRefundEvent(tx, deps, 'refund.cancelled', ended);
  return ended;
}

/**
 * Approves a waiting claim: the money is sent to the claimed address.
 * Its send counts against the limits of the approver. @param at.claimId the approved claim, because a reopened link may have another one by now
 * @throws {AppError} LINK_NOT_FOUND; INVALID_STATE unless it is claimed, by that claim, and needs approval
 */
export async function approveLink(
  deps: DecideLinkDeps,
  at: At & { readonly claimId: string; readonly approver: Creator },
): Promise<RefundLinkView> {
  const link = await deps.db.transaction(async (tx) => {
    const link = await ownLink(tx, at);
    if (link.status === 'open') throw notNow('is not claimed yet');
    if (link.claimId !== at.claimId) throw notNow('has another claim: check its address');
    if (link.status === 'approved') return link;
    if (!link.approval) throw notNow('needs no approval');
    if (link.status !== 'claimed') throw notNow(`is ${link.status}`);
    const now = deps.clock.now();
    const creator = creatorColumns(at.approver);
    return updateRefundLink(tx, link.id, { status: 'approved', ...creator, approvedAt: now, updatedAt: now });
  });
  void deps.sendClaims();
  return presentLink(link, openUrl(deps, link));
}

async function ownLink(tx: Tx, { merchantId, linkId }: At): Promise<StoredRefundLink> {
  const link = await findRefundLink(tx, linkId);
  if (link === undefined || link.merchantId !== merchantId) {
    throw new AppError('LINK_NOT_FOUND', 'No such refund link');
  }
  return link;
}

function notNow(why: string): AppError {
  return new AppError('INVALID_STATE', `This refund link ${why}`);
}
