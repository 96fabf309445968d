import { sql, type Selectable } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import { APPROVALS_MERGED_MS, NOTICED_EVENTS } from '../../domain/notices.ts';
import type { NoticeRow } from '../schema/notices.ts';
import type { EventRow } from '../schema/webhooks.ts';

type NoticedEvent = Selectable<
  Pick<EventRow, 'seq' | 'merchantId' | 'mode' | 'type' | 'bodyJson' | 'createdAt'>
> & {
  readonly paymentId: string | null;
  readonly sendId: string | null;
};

/** The highest number of any event, and the events after one that may be worth a mail, oldest first. */
export async function noticedEventsAfter(
  db: Db,
  range: { seq: number; limit: number },
): Promise<{ newest: number; events: NoticedEvent[] }> {
  const newest = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max<number | null>('seq').as('seq'))
    .executeTakeFirstOrThrow();
  const events = await db
    .selectFrom('events')
    .select(['seq', 'merchantId', 'mode', 'type', 'paymentId', 'sendId', 'bodyJson', 'createdAt'])
    .where('seq', '>', range.seq)
    .where('seq', '<=', newest.seq ?? 0)
    // Not by the index of types, which the planner would read shop by shop.
    .where(sql`type || ''`, 'in', NOTICED_EVENTS)
    .orderBy('seq')
    .limit(range.limit)
    .execute();
  return { newest: newest.seq ?? 0, events };
}

/** Whether a payment was completed before an event. */
export async function wasCompletedBefore(db: Db, paymentId: string, seq: number): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('seq')
    .where('paymentId', '=', paymentId)
    .where('type', '=', 'payment.completed')
    .where('seq', '<', seq)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores a notice; an existing one with the same key stays unchanged. */
export async function insertNotice(tx: Tx, row: NoticeRow): Promise<void> {
  await tx
    .insertInto('notices')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Stores the notice that sends of a shop wait for an approval. A shop has one, which is due again later after it was
 * mailed: the mail counts what waits by then.
 */
export async function insertApprovalNotice(
  tx: Tx,
  of: Pick<NoticeRow, 'merchantId' | 'mode'>,
  now: number,
): Promise<void> {
  const { merchantId, mode } = of;
  const key = `approval_needed ${merchantId} ${mode}`;
  const known = await tx.selectFrom('notices').selectAll().where('key', '=', key).executeTakeFirst();
  if (known !== undefined && known.dueAt !== null) return;
  const toldAt = known?.toldAt ?? null;
  const isRecent = toldAt !== null && toldAt <= now && now - toldAt < APPROVALS_MERGED_MS;
  const due = { createdAt: now, dueAt: isRecent ? toldAt + APPROVALS_MERGED_MS : now, toldAt: null };
  await tx
    .insertInto('notices')
    .values({
      key,
      reason: 'approval_needed',
      merchantId,
      mode,
      subject: merchantId,
      detailsJson: '{}',
      ...due,
    })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(due))
    .execute();
}

/** Stores a notice for one shop, or for every shop; `key` gets the id of the shop. */
export async function insertShopNotices(
  tx: Tx,
  notice: Omit<NoticeRow, 'merchantId'>,
  merchantId: string | null,
): Promise<void> {
  const { key, reason, mode, subject, detailsJson, createdAt, dueAt, toldAt } = notice;
  await tx
    .insertInto('notices')
    .columns([
      'key',
      'reason',
      'merchantId',
      'mode',
      'subject',
      'detailsJson',
      'createdAt',
      'dueAt',
      'toldAt',
    ])
    .expression((eb) =>
      eb
        .selectFrom('merchants')
        .select([
          sql<string>`${key} || ' ' || id`.as('key'),
          eb.val(reason).as('reason'),
          'id',
          eb.val(mode).as('mode'),
          eb.val(subject).as('subject'),
          eb.val(detailsJson).as('detailsJson'),
          eb.val(createdAt).as('createdAt'),
          eb.val(dueAt).as('dueAt'),
          eb.val(toldAt).as('toldAt'),
        ])
        .$if(merchantId !== null, (query) => query.where('id', '=', merchantId)),
    )
    .execute();
}

/**
 * Notices that are due, or scheduled later than possible because the clock was set back: a reminder or a notice of
 * approvals by more than its pause, any other by any time, unless it waits for the end of its payment.
 */
export async function dueNotices(
  db: Db,
  { now, reminderMs }: { readonly now: number; readonly reminderMs: number },
  limit: number,
): Promise<NoticeRow[]> {
  return db
    .selectFrom('notices')
    .selectAll()
    .where('dueAt', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('dueAt', '<=', now),
        eb.and([
          eb('toldAt', 'is', null),
          eb('reason', 'not in', ['underpaid', 'approval_needed']),
          eb('dueAt', '>', now),
        ]),
        eb.and([eb('reason', '=', 'approval_needed'), eb('dueAt', '>', now + APPROVALS_MERGED_MS)]),
        eb.and([eb('toldAt', 'is not', null), eb('dueAt', '>', now + reminderMs)]),
      ]),
    )
    .orderBy('dueAt')
    .orderBy('key')
    .limit(limit)
    .execute();
}

export async function finishNotice(
  tx: Tx,
  key: string,
  change: { dueAt: number | null; toldAt: number | null },
): Promise<void> {
  await tx.updateTable('notices').set(change).where('key', '=', key).execute();
}

/** Removes up to `limit` settled notices from before a time; returns how many. */
export async function deleteNoticesBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('notices')
    .where('key', 'in', (eb) =>
      eb
        .selectFrom('notices')
        .select('key')
        .where('createdAt', '<', before)
        .where('dueAt', 'is', null)
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
