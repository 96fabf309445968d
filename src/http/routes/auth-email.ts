import { z } from 'zod';
import type { AccountDeps } from '../../usecases/accounts/account-deps.ts';
import { resendVerification } from '../../usecases/accounts/resend-verification.ts';
import { verifyEmail } from '../../usecases/accounts/verify-email.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { authTags, mailedToken, type MailedDeps } from './auth-parts.ts';

/** Verification of e-mail addresses. */
export function emailRoutes(deps: AccountDeps & MailedDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/verify-email',
      summary: 'Verify an email address',
      description:
        'Takes the token of the mailed link, which works for 48 hours; only the newest link works. Taking ' +
        'the same token again is harmless. A token that does not count is VALIDATION_INVALID.',
      tags: authTags,
      auth: 'none',
      scope: 'never',
      body: z.object({ token: mailedToken() }),
      data: z.object({ isVerified: z.literal(true) }),
      status: 200,
      errors: [],
      handler: async ({ body }) => {
        await verifyEmail(deps, body.token);
        return { isVerified: true as const };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/resend-verification',
      summary: 'Mail another verification link',
      description:
        'The link mailed before stops working. At most five such mails a day; `sent` is false when the ' +
        'address is verified already. `by` is `log` on a server without a mail server.',
      tags: authTags,
      auth: 'jwt',
      scope: 'never',
      data: z.object({ sent: z.boolean(), by: z.enum(['mail', 'log']) }),
      status: 200,
      errors: ['RATE_LIMITED'],
      handler: async ({ auth }) => ({
        sent: await resendVerification(deps, auth.userId),
        by: deps.hasMailServer ? ('mail' as const) : ('log' as const),
      }),
    }),
  ];
}
