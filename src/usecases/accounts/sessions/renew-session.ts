import { replaceSessionToken } from '../../../store/accounts/sessions.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { randomBase62 } from '../../events/index.ts';
import { tokenHash } from '../account-link.ts';

/** 43 base62 characters carry the 256 bits of 32 random bytes. */
const TOKEN_LENGTH = 43;

/** The session of a request, with the token that it carried. */
export interface CurrentSession {
  readonly id: string;
  readonly token: string;
}

/** The fresh token of a session, for the cookie. */
export interface RenewedSession {
  readonly token: string;
  readonly expiresAt: number;
}

export function newSessionToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

/**
 * Rotates the token of a session: copies of the previous token become invalid. Null when there is no session,
 * or a concurrent request has rotated it, whose response carries the valid token.
 */
export async function renewSession(db: Db, session: CurrentSession | null): Promise<RenewedSession | null> {
  if (session === null) return null;
  const token = newSessionToken();
  const expiresAt = await replaceSessionToken(db, {
    id: session.id,
    fromHash: tokenHash(session.token),
    toHash: tokenHash(token),
  });
  return expiresAt === null ? null : { token, expiresAt };
}
