import type { UserRow } from '../../../store/schema/accounts.ts';
import type { RevokedCredentials } from '../revocation/revoke-credentials.ts';
import type { CurrentSession, RenewedSession } from './renew-session.ts';
import type { JwtTokens } from './jwt-tokens.ts';

/** A user as the API returns it. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly isVerified: boolean;
}

/** The response of register and login. */
export interface Session {
  readonly token: string;
  readonly expiresAt: number;
  readonly user: User;
}

export function toUser(row: UserRow): User {
  return { id: row.id, email: row.email, isVerified: row.isVerified };
}

/** Signs a user in: a fresh token under the current token version. */
export async function openSession(tokens: JwtTokens, row: UserRow): Promise<Session> {
  const issued = await tokens.issue({ id: row.id, tokenVersion: row.tokenVersion });
  return { ...issued, user: toUser(row) };
}

/** How the calling client continues after its own credential was revoked with the others. */
export interface ContinuedSession {
  /** The fresh token of the dashboard's session. */
  readonly renewed: RenewedSession | null;
  /** A user token for a client that came with one; null for a session, which needs no further proof. */
  readonly session: Session | null;
}

export async function continueSession(
  tokens: JwtTokens,
  { user, renewed }: RevokedCredentials,
  session: CurrentSession | null,
): Promise<ContinuedSession> {
  return { renewed, session: session === null ? await openSession(tokens, user) : null };
}
