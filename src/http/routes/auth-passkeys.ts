import { z } from 'zod';
import {
  type AccountDeps,
  addPasskey,
  registrationOptions,
  signInOptions,
  stepUpOptions,
  listPasskeys,
  openDashboardSession,
  type Passkey,
  removePasskey,
  renamePasskey,
  SESSION_LIFETIME_MS,
  signInByPasskey,
  stepUpByPasskey,
} from '../../usecases/accounts/index.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { createSessionCookie, type SessionCookie } from '../server/session-cookie.ts';
import { authTags, currentPassword, requireSession, user } from './auth-parts.ts';

const common = { tags: authTags, scope: 'never', status: 200, dashboardOnly: true } as const;

/** 1,023 bytes, the longest that the standard allows. */
const CREDENTIAL_ID_MAX = 1364;
const SIGNED_MAX = 16_384;
const NAME_MAX = 60;

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/);
const name = () => text({ max: NAME_MAX });
/** As @simplewebauthn/browser returns it; for the browser only. */
const options = z.looseObject({ challenge: z.string() });
const question = z.object({
  options: options.nullable(),
  origin: z.string().nullable(),
  reason: z.string().nullable(),
});
const passkey = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: timestamp(),
  lastUsedAt: timestamp().nullable(),
  backedUp: z.boolean(),
  usable: z.boolean(),
});
const credential = {
  id: base64url(CREDENTIAL_ID_MAX),
  rawId: base64url(CREDENTIAL_ID_MAX),
  type: z.literal('public-key'),
};
const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(SIGNED_MAX),
    authenticatorData: base64url(SIGNED_MAX),
    signature: base64url(SIGNED_MAX),
    userHandle: base64url(128).nullish(),
  }),
});
const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(SIGNED_MAX),
    attestationObject: base64url(SIGNED_MAX),
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});

/** Passkeys (WebAuthn) of the dashboard's users. Keys and user tokens are for programs, which have none. */
export function passkeyRoutes(deps: AccountDeps): Route[] {
  const cookie = createSessionCookie(deps.baseUrl);
  return [
    listRoute(deps),
    askToAddRoute(deps),
    addRoute(deps, cookie),
    renameRoute(deps),
    removeRoute(deps, cookie),
    askToSignInRoute(deps),
    signInRoute(deps, cookie),
    askToStepUpRoute(deps),
    stepUpRoute(deps, cookie),
  ];
}

function listRoute(deps: AccountDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/auth/passkeys',
    summary: 'The passkeys of the user',
    description:
      'Also the only origin at which they work, or the reason why passkeys are not available here.',
    auth: 'jwt',
    data: z.object({
      passkeys: z.array(passkey),
      origin: z.string().nullable(),
      reason: z.string().nullable(),
    }),
    errors: [],
    handler: async ({ auth }) => {
      const { passkeys, ...place } = await listPasskeys(deps, auth.userId);
      return { passkeys: passkeys.map(answered), ...place };
    },
  });
}

function askToAddRoute(deps: AccountDeps): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/auth/passkeys/options',
    summary: 'Begin to add a passkey',
    description: 'The creation options for the browser, valid in this session for five minutes.',
    auth: 'jwt',
    changesAccess: true,
    data: z.object({ options }),
    errors: ['INVALID_STATE', 'EMAIL_UNCONFIRMED'],
    handler: async ({ auth, sessionToken }) => {
      const { id: sessionId } = requireSession(auth, sessionToken);
      return { options: { ...(await registrationOptions(deps, { userId: auth.userId, sessionId })) } };
    },
  });
}

function addRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/auth/passkeys',
    summary: 'Add a passkey',
    description:
      'Stores the passkey that the browser created from the options and notifies the user by email. Every other ' +
      'session and every user token ends.',
    auth: 'jwt',
    changesAccess: true,
    status: 201,
    body: z.object({ name: name(), credential: attestation }),
    data: z.object({ passkey }),
    errors: ['INVALID_CREDENTIALS', 'INVALID_STATE', 'EMAIL_UNCONFIRMED'],
    handler: async ({ auth, sessionToken, body }) => {
      const session = requireSession(auth, sessionToken);
      const added = await addPasskey(deps, {
        userId: auth.userId,
        session,
        name: body.name,
        attestation: body.credential,
      });
      const headers = cookie.renew(added.renewed, deps.clock.now());
      return new Reply(201, { passkey: answered(added.passkey) }, headers);
    },
  });
}

function renameRoute(deps: AccountDeps): Route {
  return defineRoute({
    ...common,
    method: 'PATCH',
    path: '/auth/passkeys',
    summary: 'Rename a passkey',
    description: 'Only the user sees the name.',
    auth: 'jwt',
    body: z.object({ passkeyId: identifier(), name: name() }),
    data: z.object({ passkey }),
    errors: ['PASSKEY_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      const renamed = await renamePasskey(deps, { userId: auth.userId, id: body.passkeyId, name: body.name });
      return { passkey: answered(renamed) };
    },
  });
}

function removeRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'DELETE',
    path: '/auth/passkeys',
    summary: 'Remove a passkey',
    description:
      'Every other session and every user token ends, and the user is notified by email. Removing the last passkey ' +
      'of a user without an authenticator app requires the password as well.',
    auth: 'jwt',
    changesAccess: true,
    body: z.object({ passkeyId: identifier(), password: currentPassword().optional() }),
    data: z.object({ removed: z.literal(true) }),
    errors: ['PASSKEY_NOT_FOUND', 'INVALID_CREDENTIALS', 'RATE_LIMITED'],
    handler: async ({ auth, sessionToken, body: { passkeyId: id, password } }) => {
      const session = requireSession(auth, sessionToken);
      const renewed = await removePasskey(deps, { userId: auth.userId, session, id, password });
      return new Reply(200, { removed: true as const }, cookie.renew(renewed, deps.clock.now()));
    },
  });
}

function askToSignInRoute(deps: AccountDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/auth/passkeys/sign-in',
    summary: 'Begin to sign in with a passkey',
    description: 'Lists no user and no passkey: the browser offers its own. Valid for five minutes.',
    auth: 'none',
    data: question,
    errors: [],
    handler: async () => answeredQuestion(signInOptions(deps)),
  });
}

function signInRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/auth/passkeys/sign-in',
    summary: 'Sign in to the dashboard with a passkey',
    description:
      'Like POST /auth/session: sets the session cookie and ends the session that the request’s cookie belonged ' +
      'to. A passkey counts as password and second factor, because its authenticator has verified the user.',
    auth: 'none',
    body: z.object({ credential: assertion }),
    data: z.object({ user }),
    errors: ['INVALID_CREDENTIALS', 'INVALID_STATE'],
    handler: async ({ body, network, client, sessionToken }) => {
      const row = await signInByPasskey(deps, { assertion: body.credential, network });
      const opened = await openDashboardSession(deps, row, { client, replaces: sessionToken });
      return new Reply(200, { user: opened.user }, cookie.set(opened.token, SESSION_LIFETIME_MS));
    },
  });
}

function askToStepUpRoute(deps: AccountDeps): Route {
  return defineRoute({
    ...common,
    method: 'GET',
    path: '/auth/passkeys/step-up',
    summary: 'Begin a step-up with a passkey',
    description:
      'The options are null if the user has no passkey that works here. Valid for five minutes, in this session.',
    auth: 'jwt',
    data: question,
    errors: [],
    handler: async ({ auth, sessionToken }) => {
      const { id: sessionId } = requireSession(auth, sessionToken);
      return answeredQuestion(await stepUpOptions(deps, { userId: auth.userId, sessionId }));
    },
  });
}

function stepUpRoute(deps: AccountDeps, cookie: SessionCookie): Route {
  return defineRoute({
    ...common,
    method: 'POST',
    path: '/auth/passkeys/step-up',
    summary: 'Step up with a passkey',
    description: 'Like POST /auth/step-up.',
    auth: 'jwt',
    body: z.object({ credential: assertion }),
    data: z.object({ until: timestamp() }),
    errors: ['INVALID_CREDENTIALS', 'INVALID_STATE', 'RATE_LIMITED'],
    handler: async ({ auth, sessionToken, body }) => {
      const session = requireSession(auth, sessionToken);
      const proven = await stepUpByPasskey(deps, {
        userId: auth.userId,
        session,
        assertion: body.credential,
      });
      const headers = cookie.renew(proven.renewed, deps.clock.now());
      return new Reply(200, { until: isoTime(proven.until) }, headers);
    },
  });
}

function answered({ createdAt, lastUsedAt, ...rest }: Passkey) {
  return {
    ...rest,
    createdAt: isoTime(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
  };
}

/** The options are of a type without an index. */
function answeredQuestion({ options: requestOptions, ...place }: ReturnType<typeof signInOptions>) {
  return { options: requestOptions === null ? null : { ...requestOptions }, ...place };
}
