import { z } from 'zod';
import { login } from '../../usecases/auth/login.ts';
import { readMe } from '../../usecases/auth/read-me.ts';
import { register, type RegisterDeps } from '../../usecases/auth/register.ts';
import type { Session } from '../../usecases/auth/session.ts';
import { defineRoute, type Route } from '../route.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { email, text } from '../schemas/text.ts';

export type AuthRoutesDeps = RegisterDeps;

const PASSWORD_MIN = 8;
const PASSWORD_MAX = 128;
/** A sign-in judges a password only by comparing it; this bounds what gets hashed. */
const LOGIN_PASSWORD_MAX = 1024;

const user = z.object({ id: z.string(), email: z.string(), isVerified: z.boolean() }).meta({ id: 'User' });
const session = z.object({ token: z.string(), expiresAt: timestamp(), user });
const tags = ['Authentication'];

/** Register, sign in, and who am I. */
export function authRoutes(deps: AuthRoutesDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/auth/register',
      summary: 'Register a user',
      description: 'Creates a user and signs them in. Email addresses compare case-insensitively.',
      tags,
      auth: 'none',
      body: z.object({
        email: email(),
        password: text({ min: PASSWORD_MIN, max: PASSWORD_MAX, trim: false }),
      }),
      data: session,
      status: 201,
      errors: ['DUPLICATE_ENTRY', 'REGISTRATION_CLOSED'],
      handler: async ({ body }) => sessionAnswer(await register(deps, body)),
    }),
    defineRoute({
      method: 'POST',
      path: '/auth/login',
      summary: 'Sign in',
      description: 'Answers a token valid for 24 hours. There is no refresh: sign in again.',
      tags,
      auth: 'none',
      body: z.object({ email: email(), password: text({ max: LOGIN_PASSWORD_MAX, trim: false }) }),
      data: session,
      status: 200,
      errors: ['INVALID_CREDENTIALS'],
      handler: async ({ body }) => sessionAnswer(await login(deps, body)),
    }),
    defineRoute({
      method: 'GET',
      path: '/auth/me',
      summary: 'The signed-in user',
      description: 'The user a token belongs to.',
      tags,
      auth: 'jwt',
      data: z.object({ user }),
      status: 200,
      errors: [],
      handler: async ({ auth }) => ({ user: await readMe(deps, auth.userId) }),
    }),
  ];
}

function sessionAnswer({ token, expiresAt, user }: Session) {
  return { token, expiresAt: isoTime(expiresAt), user };
}
