import { AppError } from '../../domain/errors.ts';
import { unauthorised } from '../../domain/unauthorised.ts';
import { findUser } from '../../store/accounts/users.ts';
import type { AccountDeps } from './account-deps.ts';
import { mailLink } from './account-link.ts';

/**
 * Mails another verification link; the previous one becomes invalid.
 * @returns whether a mail was queued: not needed once the address is verified.
 * @throws {AppError} RATE_LIMITED after five mails in a day.
 */
export async function resendVerification(
  deps: Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl'>,
  userId: string,
): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const user = await findUser(tx, userId);
    if (user === undefined) throw unauthorised('expired');
    if (user.isVerified) return false;
    const waitMs = await mailLink(tx, deps, user, 'verify-email');
    if (waitMs === 0) return true;
    const message = 'Too many verification mails: use the last one, or try again later';
    throw new AppError('RATE_LIMITED', message, { retryAfterMs: waitMs });
  });
}
