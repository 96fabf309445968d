import { unauthorised } from '../../../domain/unauthorised.ts';
import { deleteAccountTokens } from '../../../store/accounts/account-tokens.ts';
import { supersedeMails } from '../../../store/accounts/mails.ts';
import { revokeOtherSessions } from '../../../store/accounts/sessions.ts';
import { incrementTokenVersion } from '../../../store/accounts/users.ts';
import { deleteConnectCodes } from '../../../store/merchants/connect-codes.ts';
import { deleteCounterCodes } from '../../../store/merchants/counters.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { renewSession, type CurrentSession, type RenewedSession } from '../sessions/renew-session.ts';

/** The caller's session with its fresh token, and the user under the new token version. */
export interface RevokedCredentials {
  readonly user: UserRow;
  readonly renewed: RenewedSession | null;
}

/**
 * Revokes everything issued to a user before their password, a factor or a role changed: user tokens,
 * sessions, mailed reset links, connect codes and codes of counters. A request that waits for events is answered with 401,
 * because its credential is checked again before the answer. Keys of shops stay.
 * @param input.keep the caller's session, which continues under a fresh token; null ends it as well
 * @throws {AppError} UNAUTHORISED when the user was deleted
 */
export async function revokeCredentials(
  tx: Tx,
  input: { readonly userId: string; readonly keep: CurrentSession | null; readonly now: number },
): Promise<RevokedCredentials> {
  const { userId, keep, now } = input;
  const user = await incrementTokenVersion(tx, userId, now);
  if (user === undefined) throw unauthorised('expired');
  await revokeOtherSessions(tx, userId, keep?.id ?? null);
  await deleteAccountTokens(tx, { userId, purpose: 'reset-password' });
  await supersedeMails(tx, { userId, kind: 'reset-password', now });
  await deleteConnectCodes(tx, userId);
  await deleteCounterCodes(tx, userId);
  return { user, renewed: await renewSession(tx, keep) };
}
