import { sql } from 'kysely';
import type { Db, Tx } from '../sqlite/database.ts';
import type { MailRow } from '../schema/accounts.ts';

export async function insertMail(tx: Tx, row: MailRow): Promise<void> {
  await tx.insertInto('mails').values(row).execute();
}

export async function findMail(db: Db, id: string): Promise<MailRow | undefined> {
  return db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Mails that wait in the outbox and whose ids begin with a prefix, with their sealed bodies. */
export async function listPendingMails(
  db: Db,
  prefix: string,
): Promise<{ id: string; bodySealed: string | null }[]> {
  return db
    .selectFrom('mails')
    .select(['id', 'bodySealed'])
    .where('id', 'like', `${prefix}%`)
    .where('state', '=', sql.lit('pending'))
    .execute();
}

export async function replaceMailBody(tx: Tx, id: string, bodySealed: string): Promise<void> {
  await tx.updateTable('mails').set({ bodySealed }).where('id', '=', id).execute();
}

/** Drops unsent mails of one kind, because a newer one replaces them. */
export async function supersedeMails(
  tx: Tx,
  mail: { userId: string; kind: MailRow['kind']; now: number },
): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ state: 'failed', bodySealed: null, lastError: 'superseded', updatedAt: mail.now })
    .where('userId', '=', mail.userId)
    .where('kind', '=', mail.kind)
    .where('state', '=', sql.lit('pending'))
    .execute();
}

/** When the mails of one kind were written since a time, oldest first. At most `limit`, the newest ones. */
export async function mailTimesSince(
  db: Db,
  query: { userId: string; kind: MailRow['kind']; since: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('mails')
    .select('createdAt')
    .where('userId', '=', query.userId)
    .where('kind', '=', query.kind)
    .where('createdAt', '>', query.since)
    .orderBy('createdAt', 'desc')
    .limit(query.limit)
    .execute();
  return rows.map((row) => row.createdAt).toReversed();
}

interface TimesQuery {
  readonly kind: MailRow['kind'];
  readonly since: number;
  readonly limit: number;
}

/**
 * When mails of one kind were written to an unconfirmed mailbox, oldest first. At most `limit`, the newest
 * ones.
 */
export async function mailTimesTo(
  db: Db,
  { recipientHash, ...query }: TimesQuery & { readonly recipientHash: string },
): Promise<number[]> {
  return newestTimes(countedMails(db).where('recipientHash', '=', recipientHash), query);
}

/** When one account caused mails of one kind to unconfirmed mailboxes, as in `mailTimesTo`. */
export async function othersMailTimes(
  db: Db,
  { userId, ...query }: TimesQuery & { readonly userId: string },
): Promise<number[]> {
  return newestTimes(countedMails(db).where('userId', '=', userId), query);
}

function countedMails(db: Db) {
  return db.selectFrom('mails').select('createdAt').where('recipientHash', 'is not', null);
}

async function newestTimes(
  mails: ReturnType<typeof countedMails>,
  { kind, since, limit }: TimesQuery,
): Promise<number[]> {
  const rows = await mails
    .where('kind', '=', kind)
    .where('createdAt', '>', since)
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => row.createdAt).toReversed();
}

/** Erases the mailboxes of up to `limit` mails written before a time; the mails stay. Returns how many. */
export async function forgetRecipients(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .updateTable('mails')
    .set({ recipientHash: null })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('recipientHash', 'is not', null)
        .where('createdAt', '<', before)
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/**
 * Due mails, longest due first; also those scheduled later than the pause after their attempts allows,
 * because the clock was set back.
 * @param pausesMs after no attempt, one, two and so on
 */
export async function listDueMails(
  db: Db,
  { now, pausesMs }: { readonly now: number; readonly pausesMs: readonly number[] },
  limit: number,
): Promise<MailRow[]> {
  return db
    .selectFrom('mails')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where((eb) =>
      eb.or([
        eb('nextAttemptAt', '<=', now),
        ...pausesMs.map((pauseMs, attempts) =>
          eb.and([eb('attempts', '=', attempts), eb('nextAttemptAt', '>', now + pauseMs)]),
        ),
      ]),
    )
    .orderBy('nextAttemptAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Settles a mail, sent or given up, and erases its content. */
export async function finishMail(
  db: Db,
  mail: {
    id: string;
    state: 'sent' | 'failed';
    attempts: number;
    error: string | null;
    now: number;
  },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({
      state: mail.state,
      bodySealed: null,
      attempts: mail.attempts,
      lastError: mail.error,
      updatedAt: mail.now,
    })
    .where('id', '=', mail.id)
    .where('state', '=', sql.lit('pending'))
    .execute();
}

export async function postponeMail(
  db: Db,
  mail: { id: string; attempts: number; nextAttemptAt: number; error: string; now: number },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({
      attempts: mail.attempts,
      nextAttemptAt: mail.nextAttemptAt,
      lastError: mail.error,
      updatedAt: mail.now,
    })
    .where('id', '=', mail.id)
    .where('state', '=', sql.lit('pending'))
    .execute();
}

/** Removes up to `limit` settled mails written before a time, except receipts; returns how many. */
export async function deleteMailsBefore(db: Db, before: number, limit: number): Promise<number> {
  const result = await db
    .deleteFrom('mails')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('state', '<>', sql.lit('pending'))
        .where('kind', '<>', sql.lit('receipt'))
        .where('createdAt', '<', before)
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
