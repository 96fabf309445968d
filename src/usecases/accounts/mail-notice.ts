import type { Tx } from '../../store/sqlite/database.ts';
import { noticeLanguage } from '../../store/notices/notice-choices.ts';
import type { UserRow } from '../../store/schema/accounts.ts';
import { accountTexts, type NoticeKind, noticeMail, queueMail } from '../mail/index.ts';
import type { AccountDeps } from './account-deps.ts';

/** The notice is obsolete after this time. */
const LIFETIME_MS = 48 * 3_600_000;

/**
 * Notifies a user of a change to their account, in the transaction of that change.
 * @param listMore further lines about this change, from the texts in the user's language
 */
export async function mailNotice(
  tx: Tx,
  deps: Pick<AccountDeps, 'clock' | 'secretBox' | 'baseUrl'>,
  user: Pick<UserRow, 'id' | 'email'>,
  kind: NoticeKind,
  listMore: (texts: ReturnType<typeof accountTexts>) => readonly string[] = () => [],
): Promise<void> {
  const language = (await noticeLanguage(tx, user.id)) ?? 'en';
  const more = listMore(accountTexts(language));
  await queueMail(tx, deps, {
    userId: user.id,
    to: user.email,
    kind: 'notice',
    text: noticeMail(kind, { language, baseUrl: deps.baseUrl, more }),
    expiresAt: deps.clock.now() + LIFETIME_MS,
  });
}
