import { eligibleApprovers } from '../../domain/send/approval.ts';
import { isUnconfirmed, limitsAt } from '../../domain/send/limit-change.ts';
import { listApprovals, PENDING_MAX } from '../../store/sends/send-approvals.ts';
import { findLimits } from '../../store/sends/wallet-limits.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { NoticeRow } from '../../store/schema/notices.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { noticeReaders } from './notice-readers.ts';

type NoticeReader = Awaited<ReturnType<typeof noticeReaders>>[number];

/**
 * The readers of a mail about sends that wait for an approval: those who may approve one, with the number of these. The
 * owner stands in where no approver has a mailbox, and where the limits have to be confirmed first.
 */
export async function approvalReaders(
  db: Db,
  shop: MerchantRow,
  { mode }: Pick<NoticeRow, 'mode'>,
  now: number,
): Promise<{ readonly reader: NoticeReader; readonly count: number }[]> {
  const of = { merchantId: shop.id, kind: 'approval', isTest: mode === 'sandbox' } as const;
  const readers = await noticeReaders(db, of);
  const stored = limitsAt(await findLimits(db, shop.id), now);
  const approvers = isUnconfirmed(stored, now) ? [] : stored.limits.approvers;
  const counts = new Map<string, number>();
  const query = { merchantId: shop.id, mode, isPending: true, limit: PENDING_MAX };
  for (const { askerId, expiresAt } of await listApprovals(db, query)) {
    if (expiresAt <= now) continue;
    const eligible = eligibleApprovers(approvers, askerId, shop.userId);
    const reached = eligible.filter((id) => readers.some(({ userId }) => userId === id));
    for (const id of reached.length > 0 ? reached : [shop.userId]) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return readers.flatMap((reader) => {
    const count = counts.get(reader.userId) ?? 0;
    return count === 0 ? [] : [{ reader, count }];
  });
}
