import { z } from 'zod';
import { login, readMe, register, type RegisterDeps } from '../../usecases/accounts/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { email, text } from '../schemas/text.ts';
import {
  authTags,
  code,
  currentPassword,
  newPassword,
  session,
  sessionAnswer,
  user,
  mailedToken,
} from './auth-parts.ts';
import { emailRoutes } from './auth-email.ts';
import { passkeyRoutes } from './auth-passkeys.ts';
import { passwordRoutes } from './auth-password.ts';
import { sessionRoutes, type SessionDeps } from './auth-session.ts';
import { totpRoutes } from './auth-totp.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export type AuthRoutesDeps = RegisterDeps & SessionDeps;

/** Accounts: registration, sign-in, and a user's own account. */
export function authRoutes(deps: AuthRoutesDeps): Route[] {
  return [
    registerRoute(deps),
    loginRoute(deps),
    meRoute(deps),
    ...sessionRoutes(deps),
    ...emailRoutes(deps),
    ...passwordRoutes(deps),
    ...totpRoutes(deps),
    ...passkeyRoutes(deps),
  ];
}

function registerRoute(deps: AuthRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/register',
    summary: 'Register a user',
    description:
      'Creates a user, signs them in and mails them a link to verify the address (without a mail server the ' +
      'link is in the log). Email addresses compare case-insensitively. A password that is among the most common ' +
      'is VALIDATION_INVALID (`too_common`), here and wherever a new one is set.',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({
      email: email(),
      password: newPassword().meta({ example: EXAMPLES.password }),
      invitation: mailedToken()
        .optional()
        .meta({
          description:
            'The token of an invitation to a shop, which lets the invited address register where registration is closed',
          examples: ['Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8HnVtYxKqPwS'],
        }),
      setupToken: text()
        .optional()
        .meta({
          description:
            'Where only the first user may register (`TILLD_REGISTRATION=first-user`): the token in the log of the ' +
            'server, which proves that its operator registers',
          examples: ['q7Rm0QpTj4UgDf8HnVtYxKqPwSZk3vXy'],
        }),
    }),
    data: session,
    status: 201,
    errors: ['DUPLICATE_ENTRY', 'REGISTRATION_CLOSED'],
    handler: async ({ body, network, storeAnswer }) =>
      sessionAnswer(
        await register(deps, { ...body, network }, (tx, made) => storeAnswer(tx, sessionAnswer(made))),
      ),
  });
}

function loginRoute(deps: AuthRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in',
    description:
      'Returns a token valid for 24 hours. There is no refresh: sign in again. With two-factor sign-in on, a ' +
      'correct password without `code` returns SECOND_FACTOR_REQUIRED: send the request again with a code of the ' +
      'authenticator app, or a recovery code. Each code works once. After several failures an account throttles ' +
      'attempts from that network (429 with Retry-After, at most 15 minutes).',
    tags: authTags,
    auth: 'none',
    scope: 'never',
    body: z.object({
      email: email(),
      password: currentPassword().meta({ example: EXAMPLES.password }),
      code: code().optional().meta({ description: 'Needed with two-factor sign-in only', example: '492039' }),
    }),
    data: session,
    status: 200,
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED'],
    handler: async ({ body, network }) =>
      sessionAnswer(await login(deps, { ...body, code: body.code, network })),
  });
}

function meRoute(deps: AuthRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/auth/me',
    summary: 'The signed-in user',
    description: 'The user of the token.',
    tags: authTags,
    auth: 'jwt',
    scope: 'never',
    data: z.object({ user }),
    status: 200,
    errors: [],
    handler: async ({ auth }) => ({ user: await readMe(deps, auth.userId) }),
  });
}
