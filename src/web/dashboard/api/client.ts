import { Tilld, TilldError } from '../../../../packages/sdk/src/index.ts';
import type { Language } from '../../../i18n/languages.ts';
import { isLanguagePicked, language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';
import type { Body, Data, Method, PathOf, QueryOf } from '../contract/contract.ts';
import { clearPrefetched, takePrefetched } from './prefetch.ts';
import { BASE_PATH } from '../../base-path.ts';
import { PAGE_HEADERS } from '../../page-headers.ts';
import type { NewPasskey, PasskeyList, PasskeyOptions } from './passkey-answers.ts';
import type { PeopleRoutes } from './people.ts';
import { loseSession, session, type Session } from './session.ts';
import { askForProof } from './step-up.ts';
import type { Coin } from '../contract/types.ts';

interface Extras<M extends Method, P extends PathOf<M>> {
  readonly query?: QueryOf<M, P>;
  /** Makes a repeated request idempotent. */
  readonly idempotencyKey?: string;
}

type Request<M extends Method, P extends PathOf<M>> =
  Body<M, P> extends undefined
    ? [request?: Extras<M, P>]
    : [request: Extras<M, P> & { readonly body: Body<M, P> }];

/** A failed request, described for the page. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(status: number, code: string, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

const LIMIT_MS = 60_000;
/** Maximum wait for an attempt that may succeed. */
const RETRY_MS = 5_000;

const till = new Tilld({
  baseUrl: location.origin + BASE_PATH,
  fetch: async (url, init) => {
    // A change, such as a sign-in, makes earlier answers out of date or those of another user.
    if (init.method !== 'GET') clearPrefetched();
    const early = init.method === 'GET' ? takePrefetched(url) : undefined;
    return early ?? fetch(url, { ...init, headers: { ...asRecord(init.headers), ...PAGE_HEADERS } });
  },
  timeoutMs: LIMIT_MS,
  retryBudgetMs: RETRY_MS,
});

function asRecord(headers: HeadersInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

/**
 * Calls the API as the signed-in user. A rejected session ends; movements of money may require a step-up
 * first.
 */
export async function api<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  ...[request]: Request<M, P>
): Promise<Data<M, P>> {
  return ask<Data<M, P>>(method, path, request);
}

/** Credentials of an account other than its password. */
export interface ResetReview {
  readonly isConfirmed: boolean;
  readonly hasSecondFactor: boolean;
  readonly passkeys: readonly { readonly id: string; readonly name: string }[];
  readonly keys: readonly { readonly id: string; readonly name: string; readonly lastFour: string }[];
  readonly shops: readonly string[];
}

/** Responses of the dashboard's own routes, which no document lists. */
interface OwnRoutes extends PeopleRoutes {
  'POST /auth/reset-password/review': ResetReview;
  'GET /auth/session': Session & { readonly language: Language | null; readonly explorers: Explorers };
  'PATCH /auth/session': unknown;
  'POST /auth/session': Session;
  'DELETE /auth/session': unknown;
  'POST /auth/step-up': { readonly until: string };
  'GET /auth/sessions': { readonly sessions: readonly ListedSession[] };
  'DELETE /auth/sessions': unknown;
  'GET /auth/passkeys': PasskeyList;
  'POST /auth/passkeys/options': NewPasskey;
  'POST /auth/passkeys': unknown;
  'PATCH /auth/passkeys': unknown;
  'DELETE /auth/passkeys': unknown;
  'GET /auth/passkeys/sign-in': PasskeyOptions;
  'POST /auth/passkeys/sign-in': Session;
  'GET /auth/passkeys/step-up': PasskeyOptions;
  'POST /auth/passkeys/step-up': { readonly until: string };
}

/** URL templates with `{tx}` or `{address}`, of each coin that has any. */
export type Explorers = Readonly<Partial<Record<Coin, Explorer>>>;

interface Explorer {
  readonly tx: string | null;
  readonly address: string | null;
}

export interface ListedSession {
  readonly id: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  readonly address: string;
  readonly userAgent: string;
  readonly current: boolean;
}

/** Calls one of the dashboard's own routes, which are about its session and about people. */
export async function requestPrivate<R extends keyof OwnRoutes>(
  route: R,
  body?: object,
  query?: Readonly<Record<string, string>>,
): Promise<OwnRoutes[R]> {
  const [method, path] = route.split(' ') as [Method, string];
  const request = { ...(body === undefined ? {} : { body }), ...(query === undefined ? {} : { query }) };
  return ask<OwnRoutes[R]>(method, path, request);
}

/** The signed-in user according to the server; null for none. @throws {ApiError} without a response */
export async function signedInNow(): Promise<Session | null> {
  try {
    const found = await requestPrivate('GET /auth/session');
    if (found.language === null) await tellLanguage(language);
    return found;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/**
 * Emails to the user are in the language of the pages, unless one was chosen for them. Failures are ignored.
 */
export async function tellLanguage(used: Language): Promise<void> {
  await requestPrivate('PATCH /auth/session', { language: used }).catch(() => undefined);
}

/** Signs in, and checks whether the browser stored the cookie. @throws {ApiError} */
export async function signIn(body: { email: string; password: string; code?: string }): Promise<Session> {
  await requestPrivate('POST /auth/session', body);
  return keptSession();
}

/** The new session, if the browser stored its cookie. @throws {ApiError} */
export async function keptSession(): Promise<Session> {
  const kept = await signedInNow();
  if (kept !== null && isLanguagePicked) await tellLanguage(language);
  if (kept !== null) return kept;
  const where = t('Open the dashboard at its public address, and allow its cookie.');
  throw new ApiError(0, 'NOT_KEPT', `${t('The browser did not keep the session.')} ${where}`);
}

async function ask<T>(
  method: Method,
  path: string,
  request: object | undefined,
  isAgain = false,
): Promise<T> {
  const signedIn = session();
  try {
    return (await till.request(method as 'POST', path as never, request)) as T;
  } catch (error) {
    if (!(error instanceof TilldError)) throw error;
    if (error.code === 'STEP_UP_REQUIRED') return prove<T>(error, async () => ask<T>(method, path, request));
    if (error.status === 401 && error.code === 'UNAUTHORISED' && signedIn !== null) {
      if (!isAgain && (await isStillIn(signedIn))) return ask<T>(method, path, request, true);
      loseSession(signedIn);
    }
    const fields = Object.fromEntries(error.details.map(({ field, message }) => [field, message]));
    throw new ApiError(error.status, error.code, wordsFor(error), fields);
  }
}

/**
 * Whether only the token changed while the request was in flight, for example by a step-up in another tab:
 * the browser has the new one by now, and the request had no effect yet.
 */
async function isStillIn({ user }: Session): Promise<boolean> {
  try {
    const now = await till.request('GET' as 'POST', '/auth/session' as never, undefined);
    return (now as Session).user.id === user.id;
  } catch {
    return false;
  }
}

/** The request had no effect yet: it is sent again after the step-up. */
async function prove<T>({ details }: TilldError, again: () => Promise<T>): Promise<T> {
  const proof = details.some(({ field }) => field === 'code') ? 'code' : 'password';
  if (await askForProof(proof)) return again();
  throw new ApiError(403, 'STEP_UP_REQUIRED', t('You did not confirm it, so nothing was done.'));
}

function wordsFor({ code, status, message }: TilldError): string {
  if (status === 0) return t('The server does not answer. Is it running, and are you online?');
  if (code === 'UNREADABLE') return t('The server answered {status}', { status });
  return message.charAt(0).toUpperCase() + message.slice(1);
}
