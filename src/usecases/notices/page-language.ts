import type { NoticeLanguage } from '../../domain/notices.ts';
import { followLanguage, noticeLanguage } from '../../store/notices/notice-choices.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** The language a person gets mails in; null while none is known, and they are in English. */
export async function readLanguage(
  deps: { readonly db: Db },
  userId: string,
): Promise<NoticeLanguage | null> {
  return noticeLanguage(deps.db, userId);
}

/** Notes the language a person uses the dashboard in: mails are in it, unless another one was chosen for them. */
export async function notePageLanguage(
  deps: { readonly db: Db },
  userId: string,
  language: NoticeLanguage,
): Promise<NoticeLanguage | null> {
  await deps.db.transaction(async (tx) => followLanguage(tx, userId, language));
  return noticeLanguage(deps.db, userId);
}
