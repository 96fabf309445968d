import { AppError } from '../../domain/errors.ts';
import type { UserRow } from '../../store/schema/accounts.ts';
import type { AccountDeps } from './account-deps.ts';

/**
 * Rejects actions that would outlast the verification of an email address, while the address may belong to
 * someone else: passkeys, a second factor, invitations. Without a mail server no address can be verified by
 * mail, so nothing is rejected.
 * @throws {AppError} EMAIL_UNCONFIRMED
 */
export function assertConfirmed(
  { hasMailServer }: Pick<AccountDeps, 'hasMailServer'>,
  { isVerified }: Pick<UserRow, 'isVerified'>,
): void {
  if (isVerified || !hasMailServer) return;
  const message = 'Confirm your email address first: open the link that was mailed to it';
  throw new AppError('EMAIL_UNCONFIRMED', message);
}
