import { setTimeout as sleep } from 'node:timers/promises';
import { emailKey } from '../../../domain/email.ts';
import { findUserByEmail } from '../../../store/accounts/users.ts';
import type { AccountDeps } from '../account-deps.ts';
import { mailLink } from '../account-link.ts';

/** Many times what writing a mail takes, so that the answer takes the same time with and without one. */
const ANSWER_AFTER_MS = 250;

/**
 * Mails a link to set a new password, if anybody has the address; at most five an hour. Neither
 * result nor time tell whether somebody has.
 */
export async function forgotPassword(
  deps: Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl'>,
  email: string,
): Promise<void> {
  const earliest = sleep(ANSWER_AFTER_MS);
  try {
    await deps.db.transaction(async (tx) => {
      const user = await findUserByEmail(tx, emailKey(email));
      if (user !== undefined) await mailLink(tx, deps, user, 'reset-password');
    });
  } finally {
    await earliest;
  }
}
