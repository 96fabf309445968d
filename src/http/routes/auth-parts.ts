import { z } from 'zod';
import type { CurrentSession, Session } from '../../usecases/accounts/index.ts';
import { sessionRequired } from '../server/authorize.ts';
import type { AuthOf } from '../server/route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { secret } from '../schemas/security-marks.ts';
import { text } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** Schemas that the routes under /auth share. */

const PASSWORD_MIN = 8;
const PASSWORD_MAX = 128;
/** An existing password is only compared; this bounds the input of the hash. */
const CURRENT_PASSWORD_MAX = 1024;
const CODE_MAX = 64;

export const authTags = ['Authentication'];
export const user = z
  .object({
    id: z.string().meta({ example: EXAMPLES.userId }),
    email: z.string().meta({ example: EXAMPLES.email }),
    isVerified: z.boolean(),
  })
  .meta({ id: 'User' });
export const session = z.object({
  token: secret(z.string()).meta({ example: EXAMPLES.userToken }),
  expiresAt: timestamp().meta({ example: '2026-02-01T12:00:00.000Z' }),
  user,
});

export function newPassword() {
  return text({ min: PASSWORD_MIN, max: PASSWORD_MAX, trim: false });
}

export function currentPassword() {
  return text({ max: CURRENT_PASSWORD_MAX, trim: false });
}

/** A code of the authenticator app, or a recovery code. */
export function code() {
  return text({ max: CODE_MAX });
}

/** A token from an emailed link. */
export function mailedToken() {
  return text().meta({ description: 'The value of `token=` in the emailed link' });
}

/** The dashboard session of a request; null for a user token. */
export function currentSession({ sessionId }: AuthOf['jwt'], token: string | null): CurrentSession | null {
  return sessionId === null || token === null ? null : { id: sessionId, token };
}

/** As above, for routes of the dashboard only. @throws {AppError} UNAUTHORISED without a session. */
export function requireSession(auth: AuthOf['jwt'], token: string | null): CurrentSession {
  const session = currentSession(auth, token);
  if (session === null) throw sessionRequired();
  return session;
}

export function sessionAnswer({ token, expiresAt, user }: Session) {
  return { token, expiresAt: isoTime(expiresAt), user };
}
