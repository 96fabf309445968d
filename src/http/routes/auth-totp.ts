import { z } from 'zod';
import {
  type AccountDeps,
  disableTotp,
  enableTotp,
  type ContinuedSession,
  readTotp,
  setupTotp,
} from '../../usecases/accounts/index.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { createSessionCookie, type SessionCookie } from '../server/session-cookie.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { secret } from '../schemas/security-marks.ts';
import {
  authTags,
  code,
  currentPassword,
  currentSession,
  session as sessionSchema,
  sessionAnswer,
} from './auth-parts.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const goingOn = sessionSchema.nullable().meta({
  description: 'The new user token, because the token of the request was revoked; null in the dashboard',
});

function goingOnAnswer({ session }: ContinuedSession) {
  return session === null ? null : sessionAnswer(session);
}

/** The second factor: TOTP (RFC 6238) with recovery codes. */
export function totpRoutes(deps: AccountDeps): Route[] {
  const cookie = createSessionCookie(deps.baseUrl);
  return [statusRoute(deps), setupRoute(deps), enableRoute(deps, cookie), disableRoute(deps, cookie)];
}

function statusRoute(deps: AccountDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/auth/totp',
    summary: 'Whether two-factor sign-in is on',
    description: 'Also how many recovery codes have not been used.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    data: z.object({
      enabled: z.boolean(),
      enabledAt: timestamp().nullable(),
      recoveryCodesLeft: z.int().meta({ example: 8 }),
    }),
    status: 200,
    errors: [],
    handler: async ({ auth }) => {
      const { enabledAt, ...status } = await readTotp(deps, auth.userId);
      return { ...status, enabledAt: enabledAt === null ? null : isoTime(enabledAt) };
    },
  });
}

function setupRoute(deps: AccountDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/totp/setup',
    holdsProof: 'password',
    summary: 'Begin to set up two-factor sign-in',
    description:
      'Returns a new secret in base32 and as an otpauth:// URI for a QR code (SHA-1, 6 digits, 30 s). It is not ' +
      'active until /auth/totp/enable accepts a code of it, within the hour. INVALID_STATE while two-factor ' +
      'sign-in is on.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({ password: currentPassword().meta({ example: EXAMPLES.password }) }),
    data: z.object({
      secret: secret(z.string()).meta({ example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
      uri: secret(z.string()).meta({
        example:
          'otpauth://totp/tilld:alice@example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=tilld',
      }),
    }),
    status: 200,
    errors: ['INVALID_CREDENTIALS', 'INVALID_STATE', 'RATE_LIMITED', 'EMAIL_UNCONFIRMED'],
    handler: async ({ auth, body }) => setupTotp(deps, { userId: auth.userId, ...body }),
  });
}

function enableRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/totp/enable',
    holdsProof: 'code',
    summary: 'Switch two-factor sign-in on',
    description:
      'Requires a first code of the secret from /auth/totp/setup and returns ten recovery codes. They are shown ' +
      'only once, and each replaces a code for one sign-in. Every user token and every other session ends.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({ code: code().meta({ example: '492039' }) }),
    data: z.object({
      recoveryCodes: secret(z.array(z.string())).meta({ example: ['k7qf-2mzx-9ptw', 'h3vd-8rjc-5nys'] }),
      session: goingOn,
    }),
    status: 200,
    errors: ['INVALID_CREDENTIALS', 'INVALID_STATE', 'RATE_LIMITED', 'EMAIL_UNCONFIRMED'],
    renewsSession: true,
    handler: async ({ auth, sessionToken, body }) => {
      const session = currentSession(auth, sessionToken);
      const { recoveryCodes, ...on } = await enableTotp(deps, { userId: auth.userId, session, ...body });
      const data = { recoveryCodes, session: goingOnAnswer(on) };
      return new Reply(200, data, cookie.renew(on.renewed, deps.clock.now()));
    },
  });
}

function disableRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/totp/disable',
    holdsProof: 'code',
    summary: 'Switch two-factor sign-in off',
    description:
      'Requires the password and a code of the authenticator app, or a recovery code. Deletes the secret and the ' +
      'recovery codes. Every user token and every other session ends. INVALID_STATE when it is off.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      password: currentPassword().meta({ example: EXAMPLES.password }),
      code: code().meta({ example: '492039' }),
    }),
    data: z.object({ enabled: z.literal(false), session: goingOn }),
    status: 200,
    errors: ['INVALID_CREDENTIALS', 'INVALID_STATE', 'RATE_LIMITED'],
    renewsSession: true,
    handler: async ({ auth, sessionToken, body }) => {
      const session = currentSession(auth, sessionToken);
      const on = await disableTotp(deps, { userId: auth.userId, session, ...body });
      const data = { enabled: false as const, session: goingOnAnswer(on) };
      return new Reply(200, data, cookie.renew(on.renewed, deps.clock.now()));
    },
  });
}
