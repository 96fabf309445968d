import type { Tx } from '../../store/sqlite/database.ts';
import type { UserRow } from '../../store/schema/accounts.ts';
import { type NoticeKind, noticeMail, queueMail } from '../mail/index.ts';
import type { AccountDeps } from './account-deps.ts';

/** The notice is obsolete after this time. */
const LIFETIME_MS = 48 * 3_600_000;

/**
 * Notifies a user of a change to their account, in the transaction of that change.
 * @param more further lines about this change
 */
export async function mailNotice(
  tx: Tx,
  deps: Pick<AccountDeps, 'clock' | 'secretBox' | 'baseUrl'>,
  user: Pick<UserRow, 'id' | 'email'>,
  kind: NoticeKind,
  more: readonly string[] = [],
): Promise<void> {
  await queueMail(tx, deps, {
    userId: user.id,
    to: user.email,
    kind: 'notice',
    text: noticeMail(kind, { baseUrl: deps.baseUrl, more }),
    expiresAt: deps.clock.now() + LIFETIME_MS,
  });
}
