import type { Language } from '../../i18n/languages.ts';
import { followLanguage, noticeLanguage } from '../../store/notices/notice-choices.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The language of a person's mails; null while unknown, and then mails are in English. */
export async function readLanguage(deps: { readonly db: Db }, userId: string): Promise<Language | null> {
  return noticeLanguage(deps.db, userId);
}

/**
 * Records the language in which a person uses the dashboard: their mails follow it, unless another one was
 * set.
 */
export async function storePageLanguage(
  deps: { readonly db: Db },
  userId: string,
  language: Language,
): Promise<Language | null> {
  await deps.db.transaction(async (tx) => followLanguage(tx, userId, language));
  return noticeLanguage(deps.db, userId);
}
