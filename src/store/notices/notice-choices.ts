import type { Db, Tx } from '../sqlite/database.ts';
import type { Language } from '../../i18n/languages.ts';
import type { NoticeChoiceRow } from '../schema/notices.ts';

/** The notice preferences of a person for a shop, by kind. */
export async function noticeChoices(
  db: Db,
  of: { userId: string; merchantId: string },
): Promise<ReadonlyMap<NoticeChoiceRow['kind'], boolean>> {
  const rows = await db
    .selectFrom('notice_choices')
    .select(['kind', 'enabled'])
    .where('userId', '=', of.userId)
    .where('merchantId', '=', of.merchantId)
    .execute();
  return new Map(rows.map(({ kind, enabled }) => [kind, enabled]));
}

/** Shops with a person who chose a kind of mail. */
export async function listShopsWithChoice(db: Db, kind: 'digest' | 'month_end'): Promise<string[]> {
  const rows = await db
    .selectFrom('notice_choices')
    .select('merchantId')
    .distinct()
    .where('kind', '=', kind)
    .where('enabled', '=', true)
    .orderBy('merchantId')
    .execute();
  return rows.map(({ merchantId }) => merchantId);
}

export async function putNoticeChoice(tx: Tx, row: NoticeChoiceRow): Promise<void> {
  const { enabled, updatedAt } = row;
  await tx
    .insertInto('notice_choices')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['userId', 'merchantId', 'kind']).doUpdateSet({ enabled, updatedAt }),
    )
    .execute();
}

/** The language of a person's mails; null: unknown. */
export async function noticeLanguage(db: Db, userId: string): Promise<Language | null> {
  const row = await db
    .selectFrom('notice_languages')
    .select('language')
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row?.language ?? null;
}

/** Stores the language that a person chose for mails. */
export async function putNoticeLanguage(tx: Tx, userId: string, language: Language): Promise<void> {
  await tx
    .insertInto('notice_languages')
    .values({ userId, language, source: 'chosen' })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ language, source: 'chosen' }))
    .execute();
}

/** Stores the language of the pages that a person uses, unless they chose one for mails. */
export async function followLanguage(tx: Tx, userId: string, language: Language): Promise<void> {
  await tx
    .insertInto('notice_languages')
    .values({ userId, language, source: 'pages' })
    .onConflict((conflict) =>
      conflict.column('userId').doUpdateSet({ language }).where('notice_languages.source', '=', 'pages'),
    )
    .execute();
}
