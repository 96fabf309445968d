import type { Actor } from '../../domain/actor.ts';
import type { ApprovalKind } from '../../domain/send/approval.ts';
import { findCreatorNames, toCreator } from '../../store/creators.ts';
import { listApprovals, type StoredApproval } from '../../store/sends/send-approvals.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { merchantMode } from '../access/index.ts';
import { type SendView, viewHeldSend } from '../wallet/index.ts';
import { findMissing, type MayApproveDeps } from './may-approve.ts';

/** A send that waits for an approval, or waited. */
export interface ApprovalView {
  readonly send: SendView;
  readonly kind: ApprovalKind;
  /** Email address of the user, or name of the key, that ordered it; null: unknown. */
  readonly requestedBy: string | null;
  readonly decidedBy: string | null;
  readonly paymentId: string | null;
  readonly linkId: string | null;
  /** Whether the caller may approve it; the second factor apart. */
  readonly canApprove: boolean;
}

const MAX_SHOWN = 100;

/** Sends above a limit, newest first: those that wait, or the newest decided ones too. */
export async function listSendApprovals(
  deps: MayApproveDeps,
  of: { readonly merchant: MerchantRow; readonly actor: Actor; readonly isPending: boolean },
): Promise<ApprovalView[]> {
  const { merchant, actor, isPending } = of;
  const held = await listApprovals(deps.db, {
    merchantId: merchant.id,
    mode: merchantMode(merchant),
    isPending,
    limit: MAX_SHOWN,
  });
  const people = held.map(({ decidedBy: id }) => (id === null ? null : { kind: 'user' as const, id }));
  const names = await findCreatorNames(deps.db, [...held.map(toCreator), ...people]);
  const views: ApprovalView[] = [];
  for (const one of held) {
    views.push({
      send: viewApproval(one, deps.clock.now()),
      kind: one.kind,
      requestedBy: requesterName(one, names),
      decidedBy: one.decidedBy === null ? null : (names.get(one.decidedBy) ?? null),
      paymentId: one.paymentId,
      linkId: one.linkId,
      canApprove: await canApprove(deps, actor, one),
    });
  }
  return views;
}

/** One past its time is expired, also before the round that records it. */
function viewApproval(held: StoredApproval, now: number): SendView {
  const isOver = held.status === 'pending' && now >= held.expiresAt;
  return viewHeldSend(isOver ? { ...held, status: 'expired' } : held);
}

/** Email address of the user, or name of the key, that ordered a send; null: unknown. */
export function requesterName(held: StoredApproval, names: ReadonlyMap<string, string>): string | null {
  if (held.creatorKind === 'secret') return 'Secret key';
  return held.creatorId === null ? null : (names.get(held.creatorId) ?? null);
}

async function canApprove(deps: MayApproveDeps, actor: Actor, held: StoredApproval): Promise<boolean> {
  if (actor.kind !== 'user' || held.status !== 'pending' || deps.clock.now() >= held.expiresAt) return false;
  const missing = await findMissing(deps, { userId: actor.id, sessionId: null }, held);
  return missing === null || missing === 'second_factor';
}
