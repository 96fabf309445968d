import { z } from 'zod';
import type { AccountDeps } from '../../usecases/accounts/account-deps.ts';
import { changePassword } from '../../usecases/accounts/change-password.ts';
import { forgotPassword } from '../../usecases/accounts/forgot-password.ts';
import { resetPassword } from '../../usecases/accounts/reset-password.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { createSessionCookie, type SessionCookie } from '../server/session-cookie.ts';
import { email } from '../schemas/text.ts';
import {
  authTags,
  currentPassword,
  heldSession,
  mailedToken,
  newPassword,
  session,
  sessionAnswer,
  type MailedDeps,
} from './auth-parts.ts';

/** Changing a password, and setting a new one when it is forgotten. */
export function passwordRoutes(deps: AccountDeps & MailedDeps): Route[] {
  return [forgotRoute(deps), resetRoute(deps), changeRoute(deps, createSessionCookie(deps.baseUrl))];
}

function forgotRoute(deps: AccountDeps & MailedDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/forgot-password',
    summary: 'Ask for a link to set a new password',
    description:
      'Always answers the same, whether or not anybody has the address. The link is mailed, works once and ' +
      'for one hour, and ends the one before. At most five such mails an hour.',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({ email: email() }),
    data: z.object({ message: z.string() }),
    status: 200,
    errors: [],
    handler: async ({ body }) => {
      await forgotPassword(deps, body.email);
      const where = deps.hasMailServer
        ? 'is on its way'
        : 'is in the log of this server, which has no mail server';
      return { message: `If an account has this address, a link to set a new password ${where}` };
    },
  });
}

function resetRoute(deps: AccountDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/reset-password',
    summary: 'Set a new password',
    description:
      'Takes the token of the mailed link, once. Every user token issued before stops working; a second ' +
      'factor stays on. A token that does not count is VALIDATION_INVALID.',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({ token: mailedToken(), password: newPassword() }),
    data: z.object({ message: z.string() }),
    status: 200,
    errors: [],
    handler: async ({ body, network }) => {
      await resetPassword(deps, { ...body, network });
      return { message: 'The password was changed: sign in with the new one' };
    },
  });
}

function changeRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/change-password',
    // Its answer holds a user token, which asks for no proof any more.
    stepUp: 'code',
    renewsSession: true,
    summary: 'Change the password',
    description:
      'Every user token issued before stops working, this one included: go on with the one in the answer. Sessions ' +
      'of the dashboard end as well, but the one that asks. ' +
      'A wrong current password is INVALID_CREDENTIALS; after several, 429 with Retry-After.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({ currentPassword: currentPassword(), newPassword: newPassword() }),
    data: session,
    status: 200,
    errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
    handler: async ({ auth, sessionToken, body }) => {
      const held = heldSession(auth, sessionToken);
      const changed = await changePassword(deps, { userId: auth.userId, session: held, ...body });
      return new Reply(200, sessionAnswer(changed.session), cookie.renew(changed.renewed, deps.clock.now()));
    },
  });
}
