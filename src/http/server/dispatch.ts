import type { Request, Response } from 'express';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { scopesToText } from '../../domain/scopes.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { isDiskFull } from '../../store/sqlite/errors.ts';
import type { Caller, Client, JwtTokens } from '../../usecases/accounts/index.ts';
import { withAudit } from './audit.ts';
import { clientKey, networkKey } from './client-key.ts';
import { failure, success, type Answer } from './envelope.ts';
import { readIdempotencyKey, type StoreAnswer, type RunIdempotent } from './idempotency.ts';
import { chooseMerchant, identify, resolveAuth } from './authorize.ts';
import { nameIgnoredFields } from './ignored-fields.ts';
import { findNamedId, merchantNamedBy } from './named-merchant.ts';
import type { PublicLimit } from './public-limit.ts';
import { isUnauthenticatedCreate, rateLimitBucket } from './rate-limit.ts';
import { type BodyReader, createBodyReader } from './read-body.ts';
import { readRequestId } from './request-id.ts';
import { recordCaller } from './request-log.ts';
import type { AuthKind, AuthOf, Route, RouteInput } from './route.ts';
import type { SessionCookie } from './session-cookie.ts';
import { assertFieldsProven } from './step-up.ts';
import { StreamReply } from './stream-reply.ts';
import { parsePart, validationError } from './validation.ts';

export interface DispatchDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: JwtTokens;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly once: RunIdempotent;
  readonly readBody: BodyReader;
  readonly publicLimit: PublicLimit;
  /** Of the reads of a counter. */
  readonly counterReadLimit: PublicLimit;
  readonly cookie: SessionCookie;
  /** Validates every response against its schema, so that the documentation cannot drift. For tests. */
  readonly checkAnswers: boolean;
}

interface Raw {
  readonly body: unknown;
  readonly query: unknown;
}

function bodyReader({ readBody }: DispatchDeps, { bodyLimitBytes }: Route): BodyReader {
  return bodyLimitBytes === undefined ? readBody : createBodyReader(bodyLimitBytes);
}

/**
 * Serves one request of a route: authentication, validation, then the handler, at most once per
 * Idempotency-Key.
 */
export async function dispatch(
  deps: DispatchDeps,
  route: Route,
  req: Request,
  res: Response,
): Promise<Answer | StreamReply> {
  const caller = await callerOfRequest(deps, route, req);
  recordCaller(res, caller);
  const maker = caller?.kind === 'public' ? rateLimitBucket(route, caller.merchant.id) : null;
  if (maker !== null) await deps.publicLimit(maker, clientKey(req));
  if (caller?.kind === 'counter') await limitCounter(deps, route, caller.counterId);
  if (isUnauthenticatedCreate(route)) await deps.publicLimit(route.path, clientKey(req));
  const raw: Raw = {
    body: route.method === 'GET' ? undefined : await bodyReader(deps, route)(req, res),
    query: req.query,
  };
  if (caller !== null && caller.kind !== 'user' && caller.merchant.sandbox)
    nameIgnoredFields(res, route, raw.body);
  await assertFieldsProven(deps, route, caller, raw);
  const { body, query, merchantId } = parseRequest(route, caller, raw);
  const named =
    merchantId ?? merchantIn(body) ?? (await requestedMerchant(deps.db, route, caller, { body, query }));
  const client = { address: clientKey(req), userAgent: req.headers['user-agent'] ?? '' };
  const about = { caller, merchantId: named, body, client };
  return withAudit(deps, route, about, () =>
    serveCaller(deps, route, { req, res, raw, body, query, client, caller, named }),
  );
}

/** A device charges as often as a payer with a public key may order, wherever it is. */
async function limitCounter(deps: DispatchDeps, { method }: Route, counterId: string): Promise<void> {
  const limit = method === 'GET' ? deps.counterReadLimit : deps.publicLimit;
  await limit(counterId, 'counter');
}

interface ParsedRequest {
  readonly req: Request;
  readonly res: Response;
  readonly raw: Raw;
  readonly body: unknown;
  readonly query: unknown;
  readonly client: Client;
  readonly caller: Caller | null;
  /** The merchant that the request names, if any. */
  readonly named: string | null;
}

/** Serves a request with a known caller and validated parts. */
async function serveCaller(
  deps: DispatchDeps,
  route: Route,
  { req, res, raw, body, query, client, caller, named }: ParsedRequest,
): Promise<Answer | StreamReply> {
  const auth = await resolveAuth(deps, route, caller, named);
  // For a key, this was done before its request was validated.
  if (caller?.kind === 'user' && auth !== null && 'merchant' in auth && auth.merchant.sandbox)
    nameIgnoredFields(res, route, raw.body);
  // Responses that set the dashboard's cookie are not stored.
  const isSession = caller?.kind === 'user' && caller.session !== null;
  const setsCookie = route.dashboardOnly === true || (route.renewsSession === true && isSession);
  const takesKey = route.method === 'POST' && !setsCookie;
  const key = takesKey ? readIdempotencyKey(req.get('Idempotency-Key')) : null;
  const scope = idempotencyScope(caller, auth, req);
  const input: Omit<RouteInput<AuthKind, unknown, unknown>, 'storeAnswer'> = {
    auth,
    body,
    query,
    requestId: readRequestId(res),
    idempotencyKey: key,
    idempotencyScope: scope,
    clientGone: () => goneSignal(res),
    network: networkKey(req),
    client,
    sessionToken: ownSession(deps.cookie, route, req),
  };
  const work = async (store: StoreAnswer) => {
    const storeAnswer = async (tx: Tx, data: unknown): Promise<void> =>
      store(tx, success(route.status, data));
    const mayGoOn = async () => resolveAuth(deps, route, await callerOfRequest(deps, route, req), named);
    const answer = await run(deps, route, { ...input, storeAnswer });
    if (route.waits === true) await mayGoOn();
    return answer instanceof StreamReply ? answer.while(mayGoOn) : answer;
  };
  if (key === null) return work(async () => undefined);
  return deps.once({ route, scope, key, ...raw }, async (store) => toStoredResponse(await work(store)));
}

/** The caller of a request, from its credential or the cookie. @throws {AppError} as `identify` does. */
async function callerOfRequest(deps: DispatchDeps, route: Route, req: Request): Promise<Caller | null> {
  const sessionToken = ownSession(deps.cookie, route, req);
  return identify(deps, route, { header: req.headers.authorization, sessionToken });
}

/**
 * The token in the cookie, if a page of this server sent it. It is ignored for requests with another
 * credential, and for unauthenticated routes that are not about the session itself.
 * @throws {AppError} FORBIDDEN if the request may come from another site's page.
 */
function ownSession(cookie: SessionCookie, route: Route, req: Request): string | null {
  const opensOrEnds = route.auth === 'none' && route.dashboardOnly === true;
  const isCredential = route.auth !== 'none' && req.headers.authorization === undefined;
  if (!opensOrEnds && !isCredential) return null;
  const token = cookie.read(req);
  if (token !== null || opensOrEnds) cookie.assertSameOrigin(req);
  return token;
}

/** A response that can be stored and repeated. */
function toStoredResponse(answer: Answer | StreamReply): Answer {
  if (answer instanceof StreamReply) throw new Error('only a GET may stream its response');
  return answer;
}

/** The merchant in a body, as its route documents it. */
function merchantIn(body: unknown): string | null {
  const id: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'merchantId') : null;
  return typeof id === 'string' ? id : null;
}

/** The merchant of the named id, for a user who does not name the merchant itself. */
async function requestedMerchant(
  db: Db,
  route: Route,
  caller: Caller | null,
  { body, query }: Raw,
): Promise<string | null> {
  if (caller?.kind !== 'user') return null;
  const given = findNamedId(route, body, query);
  return given === null ? null : merchantNamedBy(db, caller.userId, given);
}

function parseRequest(
  route: Route,
  caller: Caller | null,
  raw: Raw,
): { body: unknown; query: unknown; merchantId: string | null } {
  const body = parsePart(route.body, 'body', raw.body);
  const query = parsePart(route.query, 'query', raw.query);
  const choice = chooseMerchant(route, caller, raw.body, raw.query);
  const named = [...body.problems, ...query.problems];
  const choiceProblems = choice.problems.filter(({ field }) => !named.some((p) => p.field === field));
  const problems = [...named, ...choiceProblems];
  if (problems.length > 0) throw validationError(problems);
  return { body: body.value, query: query.value, merchantId: choice.merchantId };
}

function goneSignal(res: Response): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed) gone.abort();
  else res.once('close', () => gone.abort());
  return gone.signal;
}

/**
 * Idempotency keys are separated by credential: a payer's from the merchant's, a member's from the owner's,
 * and those of a member by role, because another role may have seen more. A restricted key shares them only
 * with keys of the merchant with the same scopes: responses that it may not request must not be replayed to
 * it, but a shop that was connected again must not repeat requests of its former key. Sandbox and live are
 * separate: a live request must not get the response of a simulated payment or send.
 */
function idempotencyScope(caller: Caller | null, auth: AuthOf[AuthKind], req: Request): string {
  if (auth === null) return `address:${clientKey(req)}`;
  const isOfMerchant = 'merchantId' in auth;
  const mode = isOfMerchant && auth.merchant.sandbox ? ':sandbox' : '';
  if (caller?.kind === 'restricted') {
    return `merchant:${caller.merchant.id}:restricted:${scopesToText([...caller.scopes])}${mode}`;
  }
  if ('counterId' in auth) return `merchant:${auth.merchantId}:counter:${auth.counterId}${mode}`;
  if ('memberId' in auth && auth.memberId !== null) {
    const shop = isOfMerchant ? auth.merchantId : auth.onlyMerchantId;
    return `merchant:${shop}:member:${auth.memberId}:${auth.actor.role}${mode}`;
  }
  if (!isOfMerchant) return `user:${auth.userId}`;
  return `merchant:${auth.merchantId}${auth.via === 'public' ? ':public' : ''}${mode}`;
}

async function run(
  deps: DispatchDeps,
  route: Route,
  input: RouteInput<AuthKind, unknown, unknown>,
): Promise<Answer | StreamReply> {
  try {
    const reply = await route.handle(input);
    if (reply instanceof StreamReply) return reply;
    const { status, data, headers } = reply;
    if (deps.checkAnswers) route.data.parse(data);
    return success(status, data, headers);
  } catch (error) {
    return toFailure(deps.logger, error, { requestId: input.requestId, path: route.path });
  }
}

/** The response for any thrown error; internal errors are logged, never shown. */
export function toFailure(logger: Logger, error: unknown, fields: object): Answer {
  if (error instanceof AppError) {
    if (error.code === 'INTERNAL_ERROR')
      logger.error({ ...fields, err: error }, 'HTTP request failed with an internal error');
    return failure(error);
  }
  // Logged once, not for every request. SQLite rolled the transaction back.
  if (isDiskFull(error)) return failure(diskFull(error));
  logger.error({ ...fields, err: error }, 'HTTP request failed with an internal error');
  return failure(new AppError('INTERNAL_ERROR', 'Something went wrong on our side'));
}

const COME_BACK_MS = 30_000;

function diskFull(cause: unknown): AppError {
  const message = 'The database cannot be written now: try again later';
  return new AppError('DATABASE_UNAVAILABLE', message, { cause, retryAfterMs: COME_BACK_MS });
}
