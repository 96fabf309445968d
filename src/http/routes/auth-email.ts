import { z } from 'zod';
import { type AccountDeps, resendVerification, verifyEmail } from '../../usecases/accounts/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { authTags, mailedToken } from './auth-parts.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** Verification of e-mail addresses. */
export function emailRoutes(deps: AccountDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/verify-email',
      summary: 'Verify an email address',
      description:
        'Verifies with the token of the emailed link, which is valid for 48 hours, in the account that it was sent ' +
        'to: sign in first. Only the newest link works. Repeating the request with the same token changes nothing. ' +
        'An invalid token is VALIDATION_INVALID; that of another account is FORBIDDEN.',
      tags: authTags,
      auth: 'jwt',
      scope: 'never',
      body: z.object({ token: mailedToken().meta({ example: EXAMPLES.mailedToken }) }),
      data: z.object({ isVerified: z.literal(true) }),
      status: 200,
      errors: ['FORBIDDEN'],
      handler: async ({ auth, body }) => {
        await verifyEmail(deps, { userId: auth.userId, token: body.token });
        return { isVerified: true as const };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/resend-verification',
      summary: 'Mail another verification link',
      description:
        'The previous link stops working. At most five such mails a day; `sent` is false when the address is ' +
        'verified already. `by` is `log` on a server without a mail server.',
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
