import { sql } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import type { NoticeReason } from '../../domain/notices.ts';
import type { NoticeMailRow } from '../schema/notices.ts';

/** Records that a person was or will be mailed; false when that is already recorded. */
export async function insertNoticeMail(tx: Tx, row: NoticeMailRow): Promise<boolean> {
  const result = await tx
    .insertInto('notice_mails')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Number of mails to a person about a shop since a time. */
export async function countNoticeMails(
  db: Db,
  of: { userId: string; merchantId: string; since: number },
): Promise<number> {
  const { count } = await db
    .selectFrom('notice_mails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('userId', '=', of.userId)
    .where('merchantId', '=', of.merchantId)
    .where('state', '=', sql.lit('mailed'))
    .where('createdAt', '>', of.since)
    .executeTakeFirstOrThrow();
  return count;
}

/** People with deferred notices, with the shop and the time of the first. */
export async function listSuppressedNotices(
  db: Db,
): Promise<{ userId: string; merchantId: string; since: number }[]> {
  return db
    .selectFrom('notice_mails')
    .select((eb) => ['userId', 'merchantId', eb.fn.min<number>('createdAt').as('since')])
    .where('state', '=', sql.lit('held'))
    .groupBy(['userId', 'merchantId'])
    .execute();
}

/** Time of a person's last summary about a shop; null: never. */
export async function newestSummary(
  db: Db,
  of: { userId: string; merchantId: string },
): Promise<number | null> {
  const row = await db
    .selectFrom('notice_mails')
    .select((eb) => eb.fn.max<number | null>('createdAt').as('at'))
    .where('userId', '=', of.userId)
    .where('merchantId', '=', of.merchantId)
    .where('state', '=', sql.lit('mailed'))
    .where('reason', '=', 'summary')
    .executeTakeFirstOrThrow();
  return row.at;
}

/** Whether a person was sent a notice. */
export async function hasNoticeMail(
  db: Db,
  { userId, noticeKey }: { readonly userId: string; readonly noticeKey: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('notice_mails')
    .select('noticeKey')
    .where('userId', '=', userId)
    .where('noticeKey', '=', noticeKey)
    .executeTakeFirst();
  return row !== undefined;
}

/** A person's last digest of a shop, mailed or empty, with its local day; null: never. */
export async function newestDigest(
  db: Db,
  { userId, merchantId }: { userId: string; merchantId: string },
): Promise<{ at: number; day: string } | null> {
  const prefix = `digest ${merchantId} `;
  const row = await db
    .selectFrom('notice_mails')
    .select(['noticeKey', 'createdAt'])
    .where('userId', '=', userId)
    .where('noticeKey', '>=', prefix)
    .where('noticeKey', '<', `${prefix}~`)
    .orderBy('noticeKey', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { at: row.createdAt, day: row.noticeKey.slice(prefix.length) };
}

/** Counts a person's deferred notices about a shop by reason, and marks them as summarised. */
export async function summarizeSuppressedNotices(
  tx: Tx,
  of: { userId: string; merchantId: string },
): Promise<ReadonlyMap<NoticeReason, number>> {
  const rows = await tx
    .updateTable('notice_mails')
    .set({ state: 'summarised' })
    .where('userId', '=', of.userId)
    .where('merchantId', '=', of.merchantId)
    .where('state', '=', sql.lit('held'))
    .returning('reason')
    .execute();
  const counts = new Map<NoticeReason, number>();
  for (const { reason } of rows)
    if (reason !== 'summary' && reason !== 'digest' && reason !== 'month_end')
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

/** Removes up to `limit` records of notices that were mailed before a time; says how many. */
export async function deleteNoticeMailsBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('notice_mails')
    .where((eb) =>
      eb(
        eb.refTuple('userId', 'noticeKey'),
        'in',
        eb
          .selectFrom('notice_mails')
          .select(['userId', 'noticeKey'])
          .where('createdAt', '<', before)
          .limit(limit)
          .$asTuple('userId', 'noticeKey'),
      ),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
