import { randomBytes } from 'node:crypto';
import { isoTime } from '../../domain/iso-time.ts';
import type { NoticeReason } from '../../domain/notices.ts';
import type { ForwardRule } from '../../domain/send/forward.ts';
import { insertShopNotices } from '../../store/notices/notices.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { auditDaemon } from '../accounts/index.ts';
import type { ForwardDeps } from './forward-deps.ts';

type RecordDeps = Pick<ForwardDeps, 'clock' | 'secretBox'>;

/** Records a decision that no request made in the audit log of the shop. */
export async function auditForward(
  tx: Tx,
  deps: RecordDeps,
  rule: Pick<ForwardRule, 'id' | 'merchantId'>,
  entry: {
    readonly action: string;
    readonly objectId: string;
    readonly result: string;
    readonly by?: string;
  },
): Promise<void> {
  const { action, objectId, result, by = 'Forward to cold storage' } = entry;
  const { id: actorId, merchantId } = rule;
  await auditDaemon(tx, deps, { merchantId, actorId, actorName: by, action, objectId, result });
}

export type ForwardNotice = Extract<NoticeReason, 'forward_pending' | 'forward_changed' | 'forward_undone'>;

/** Such as `2026-11-28 22:15 UTC`, for mails in any language. */
export function showTime(at: number): string {
  return `${isoTime(at).slice(0, 16).replace('T', ' ')} UTC`;
}

/** Notifies the people of the shop of a change, in its transaction. @param address one that a new destination pays to */
export async function notifyOfForward(
  tx: Tx,
  { clock }: Pick<ForwardDeps, 'clock'>,
  rule: ForwardRule,
  { reason, address }: { readonly reason: ForwardNotice; readonly address: string },
): Promise<void> {
  const { coin, mode, merchantId, pending } = rule;
  const now = clock.now();
  const details = {
    coin,
    ...(address === '' ? {} : { address }),
    ...(pending === null || reason !== 'forward_pending'
      ? {}
      : { time: showTime(pending.at), forwardId: rule.id, pendingId: pending.id }),
  };
  const row = {
    key: `${reason} ${randomBytes(8).toString('hex')}`,
    reason,
    mode,
    subject: merchantId,
    detailsJson: JSON.stringify(details),
    createdAt: now,
    dueAt: now,
    toldAt: null,
  };
  await insertShopNotices(tx, row, merchantId);
}
