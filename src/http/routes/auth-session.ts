import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import type { Explorers } from '../../domain/explorers.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import {
  type AccountDeps,
  closeDashboardSession,
  endSession,
  listSessions,
  openDashboardSession,
  proveUser,
  readMe,
  SESSION_LIFETIME_MS,
  signOutEverywhere,
  stepUp,
} from '../../usecases/accounts/index.ts';
import { storePageLanguage, readLanguage } from '../../usecases/notices/index.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { createSessionCookie, type SessionCookie } from '../server/session-cookie.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { email, identifier } from '../schemas/text.ts';
import { authTags, code, currentPassword, requireSession, user } from './auth-parts.ts';

const ended = z.object({ ended: z.literal(true) });
const common = { tags: authTags, scope: 'never', status: 200, dashboardOnly: true } as const;

const language = z.enum(LANGUAGES).nullable();
const explorer = z.object({ tx: z.string().nullable(), address: z.string().nullable() });

export interface SessionDeps extends AccountDeps {
  /** Block explorers that the pages link to. */
  readonly explorers: Explorers;
}

/** The dashboard's session: a cookie that no script can read. Other clients use a token or a key. */
export function sessionRoutes(deps: SessionDeps): Route[] {
  const cookie = createSessionCookie(deps.baseUrl);
  return [
    openRoute(deps, cookie),
    closeRoute(deps, cookie),
    readRoute(deps),
    languageRoute(deps),
    stepUpRoute(deps, cookie),
    listRoute(deps),
    endRoute(deps, cookie),
  ];
}

function openRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/auth/session',
    summary: 'Sign in to the dashboard',
    description:
      'Like /auth/login, but sets the session cookie instead of returning a token. Ends the session that the ' +
      'request’s cookie belonged to.',
    auth: 'none',
    body: z.object({ email: email(), password: currentPassword(), code: code().optional() }),
    data: z.object({ user }),
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED'],
    handler: async ({ body, network, client, sessionToken }) => {
      const row = await proveUser(deps, { ...body, code: body.code, network });
      const opened = await openDashboardSession(deps, row, { client, replaces: sessionToken });
      return new Reply(200, { user: opened.user }, cookie.set(opened.token, SESSION_LIFETIME_MS));
    },
  });
}

function closeRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'DELETE',
    path: '/auth/session',
    summary: 'Sign out of the dashboard',
    description: 'Ends the session of the cookie, if valid, and clears the cookie.',
    auth: 'none',
    data: ended,
    errors: [],
    handler: async ({ sessionToken }) => {
      if (sessionToken !== null) await closeDashboardSession(deps, sessionToken);
      return new Reply(200, { ended: true as const }, cookie.clear());
    },
  });
}

function readRoute(deps: SessionDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/auth/session',
    summary: 'Who is signed in to the dashboard',
    description:
      'The user of the session, the language of their mails (null: not known), and the block explorers that the ' +
      'operator chose for real money.',
    auth: 'jwt',
    data: z.object({ user, language, explorers: z.partialRecord(z.enum(COINS), explorer) }),
    errors: [],
    handler: async ({ auth }) => ({
      user: await readMe(deps, auth.userId),
      language: await readLanguage(deps, auth.userId),
      explorers: deps.explorers,
    }),
  });
}

function languageRoute(deps: SessionDeps): Route {
  return defineRoute({
    ...common,
    method: 'PATCH',
    path: '/auth/session',
    summary: 'Set the language of the dashboard',
    description:
      'Emails about shops are in this language, unless one was chosen for them (PATCH /merchant/notices). Returns ' +
      'the language of emails.',
    auth: 'jwt',
    body: z.object({ language: z.enum(LANGUAGES) }),
    data: z.object({ language }),
    errors: [],
    handler: async ({ auth, body }) => ({
      language: await storePageLanguage(deps, auth.userId, body.language),
    }),
  });
}

function stepUpRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/auth/step-up',
    summary: 'Confirm the user of a session again (step-up)',
    description:
      'Lets the session move money for five minutes. Requires the password, or with two-factor sign-in a code of ' +
      'the authenticator app or a recovery code. Throttled after several wrong ones, like sign-in.',
    auth: 'jwt',
    body: z.object({ password: currentPassword().optional(), code: code().optional() }),
    data: z.object({ until: timestamp() }),
    errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED', 'RATE_LIMITED'],
    handler: async ({ auth, sessionToken, body: { password, code: given } }) => {
      const session = requireSession(auth, sessionToken);
      const proven = await stepUp(deps, { userId: auth.userId, session, password, code: given });
      return new Reply(200, { until: isoTime(proven.until) }, cookie.renew(proven.renewed, deps.clock.now()));
    },
  });
}

function listRoute(deps: AccountDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/auth/sessions',
    summary: 'List the sessions of the user',
    description: 'The valid dashboard sessions, the last used first.',
    auth: 'jwt',
    data: z.object({
      sessions: z.array(
        z.object({
          id: z.string(),
          createdAt: timestamp(),
          lastUsedAt: timestamp(),
          expiresAt: timestamp(),
          address: z.string(),
          userAgent: z.string(),
          current: z.boolean(),
        }),
      ),
    }),
    errors: [],
    handler: async ({ auth }) => {
      const found = await listSessions(deps, auth.userId);
      const sessions = found.map(({ createdAt, lastUsedAt, expiresAt, ...session }) => ({
        ...session,
        createdAt: isoTime(createdAt),
        lastUsedAt: isoTime(lastUsedAt),
        expiresAt: isoTime(expiresAt),
        current: session.id === auth.sessionId,
      }));
      return { sessions };
    },
  });
}

function endRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'DELETE',
    path: '/auth/sessions',
    summary: 'End a session, or all',
    description:
      'With `sessionId` that one. Without it the user is signed out everywhere: every session and every user token ' +
      'ends, including this one. Keys of shops stay.',
    auth: 'jwt',
    body: z.object({ sessionId: identifier().optional() }),
    data: ended,
    errors: ['SESSION_NOT_FOUND'],
    handler: async ({ auth, body: { sessionId } }) => {
      if (sessionId !== undefined) {
        await endSession(deps, auth.userId, sessionId);
        return { ended: true as const };
      }
      await signOutEverywhere(deps, auth.userId);
      return new Reply(200, { ended: true as const }, cookie.clear());
    },
  });
}
