import { setTimeout as sleep } from 'node:timers/promises';
import { emailKey } from '../../../domain/email.ts';
import { findUserByEmail } from '../../../store/accounts/users.ts';
import type { AccountDeps } from '../account-deps.ts';
import { mailLink } from '../account-link.ts';

/**
 * Many times the duration of writing a mail, so that the response takes equally long with and without one.
 */
const ANSWER_AFTER_MS = 250;

/**
 * Mails a link to set a new password if the address has an account; at most five an hour. Neither the result
 * nor the response time reveals whether it has one.
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
