import { AppError } from '../../domain/errors.ts';
import type { UserRow } from '../../store/schema/accounts.ts';
import type { AccountDeps } from './account-deps.ts';

/**
 * Refuses what would outlive the proof of an address, while the address may be another person's: passkeys, a second
 * factor, invitations. Without a mail server no address can be proven by mail, so that nothing is refused.
 * @throws {AppError} EMAIL_UNCONFIRMED
 */
export function assertConfirmed(
  { hasMailServer }: Pick<AccountDeps, 'hasMailServer'>,
  { is_verified: isVerified }: Pick<UserRow, 'is_verified'>,
): void {
  if (isVerified === 1 || !hasMailServer) return;
  const message = 'Confirm your email address first: open the link that was mailed to it';
  throw new AppError('EMAIL_UNCONFIRMED', message);
}
