import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Registry } from 'prom-client';
import { AppError } from '../domain/errors.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';
import type { JwtTokens } from '../usecases/accounts/index.ts';
import { clientError } from './server/client-error.ts';
import { docsRouter } from './docs/router.ts';
import { dispatch, toFailure, type DispatchDeps } from './server/dispatch.ts';
import { ConstantText } from './server/constant-text.ts';
import { failure, type Answer } from './server/envelope.ts';
import { createIdempotentRunner } from './server/idempotency.ts';
import { documentedErrors } from './openapi/errors.ts';
import { createOpenApi } from './openapi/document.ts';
import { deduplicateDocument } from './openapi/deduplicate.ts';
import type { OpenApiDocument } from './openapi/types.ts';
import { createPublicLimit } from './server/public-limit.ts';
import { createSignInLimit, isSignIn } from './server/rate-limit.ts';
import { createBodyReader } from './server/read-body.ts';
import { assignRequestId, REQUEST_ID_HEADER, readRequestId } from './server/request-id.ts';
import { createRequestLog, loggedPath, type AccessLog } from './server/request-log.ts';
import { routeTable } from './server/route-table.ts';
import { isListed, type Route } from './server/route.ts';
import type { ListenAddress } from './server/listener.ts';
import { bareReadinessRouter, livenessRouter, operatorRouter, type Readiness } from './routes/health.ts';
import { securityHeaders } from './server/security-headers.ts';
import { assertWellFormed } from './server/well-formed.ts';
import { readBasePath, mountAtBasePath } from './server/base-path.ts';
import { publicKeyCors } from './server/cors.ts';
import { sendResponse } from './server/send-response.ts';
import { allowCompression } from './server/send-text.ts';
import { createSessionCookie } from './server/session-cookie.ts';
import { sendStream } from './server/send-stream.ts';
import { StreamReply } from './server/stream-reply.ts';

export interface HttpSettings {
  /** False, a number of proxy hops, or addresses and subnets of proxies, as Express accepts it. */
  readonly trustProxy: false | number | readonly string[];
  readonly bodyLimitBytes: number;
  /** Sign-in requests per minute and client address; 0: no limit. */
  readonly authRatePerMinute: number;
  /** Requests that one client address may make per minute with one public key; 0: no limit. */
  readonly publicRatePerMinute: number;
  readonly accessLog: AccessLog;
  /** Address that serves /metrics and the details of /readyz; null: the public address. */
  readonly adminListen: ListenAddress | null;
  /** Public address, without a trailing slash. */
  readonly baseUrl: string;
  readonly version: string;
}

export interface ApiDeps {
  readonly routes: readonly Route[];
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly tokens: JwtTokens;
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
  readonly settings: HttpSettings;
  /** Validates every response against its schema; for tests. */
  readonly checkAnswers?: boolean;
  /** Pages next to the API (dashboard, checkout), tried before the 404. */
  readonly pages?: readonly Router[];
  /** Path of the script of /docs; without it the page is plain HTML. */
  readonly docsScript?: string | null;
}

/** A device reads the open payment every two seconds, and the list of the day now and then. */
const COUNTER_READS_PER_MINUTE = 240;

type ClosingDeps = ApiDeps & { readonly isClosing: () => boolean };

/** The Express applications of the public address and of the operator's. */
export function createApis(deps: ClosingDeps): { readonly public: Express; readonly operator: Express } {
  const common = [arrive(deps), ...securityHeaders(), assertWellFormed];
  return { public: publicApi(deps, common), operator: operatorApi(deps, common) };
}

/** The API and the pages: the middleware of every request, and the routes. */
function publicApi(deps: ClosingDeps, common: readonly RequestHandler[]): Express {
  const { settings, routes } = deps;
  const app = bareApp(settings);
  app.use(mountAtBasePath(readBasePath(settings.baseUrl)), ...common, publicKeyCors(routes));
  app.use(routeTable(routes, serveWith(deps)));
  app.use(livenessRouter(settings.version));
  app.use(settings.adminListen === null ? operatorRouter(deps) : bareReadinessRouter(deps));
  mountOpenApi(app, deps);
  for (const pages of deps.pages ?? []) app.use(pages);
  return endApp(app, deps.logger);
}

/** The operator's endpoints: liveness, readiness and metrics. */
function operatorApi(deps: ClosingDeps, common: readonly RequestHandler[]): Express {
  const app = bareApp(deps.settings);
  app.use(...common, livenessRouter(deps.settings.version), operatorRouter(deps));
  return endApp(app, deps.logger);
}

function bareApp({ trustProxy }: HttpSettings): Express {
  const app = express();
  app.set('trust proxy', trustProxy);
  app.set('query parser', 'simple');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('etag');
  app.disable('x-powered-by');
  return app;
}

function endApp(app: Express, logger: Logger): Express {
  app.use((_req, res) =>
    sendResponse(res, failure(new AppError('NOT_FOUND', 'There is nothing at this address'))),
  );
  app.use(onError(logger));
  return app;
}

/** Middleware of every request, before its route is matched. */
function arrive(deps: ClosingDeps): RequestHandler {
  const { logger, registry, settings } = deps;
  const logRequest = createRequestLog({ logger, registry, accessLog: settings.accessLog });
  return (req, res, next) => {
    assignRequestId(req, res);
    res.setHeader(REQUEST_ID_HEADER, readRequestId(res));
    logRequest(req, res);
    // While closing, every response also closes its connection.
    if (deps.isClosing()) res.setHeader('Connection', 'close');
    next();
  };
}

function mountOpenApi(app: Express, deps: ApiDeps): void {
  const listed = deps.routes.filter(isListed);
  // Built when it is first read: it takes more CPU than everything else of a start.
  let document: OpenApiDocument | null = null;
  let served: ConstantText | null = null;
  const readDocument = (): OpenApiDocument => (document ??= createOpenApi(listed, deps.settings));
  app.get('/openapi.json', async (_req, res) => {
    served ??= new ConstantText(JSON.stringify(deduplicateDocument(readDocument())));
    await served.send(res.type('json'));
  });
  app.use(docsRouter(readDocument, deps.docsScript ?? null));
}

/** Serves a route; sign-ins are rate limited. */
function serveWith(deps: ApiDeps): (route: Route) => RequestHandler {
  const once = createIdempotentRunner(deps);
  const readBody = createBodyReader(deps.settings.bodyLimitBytes);
  const dispatchDeps: DispatchDeps = {
    ...deps,
    once,
    readBody,
    publicLimit: createPublicLimit(deps.settings.publicRatePerMinute, deps.logger),
    counterReadLimit: createPublicLimit(COUNTER_READS_PER_MINUTE, deps.logger),
    cookie: createSessionCookie(deps.settings.baseUrl),
    checkAnswers: deps.checkAnswers ?? false,
  };
  const signInLimit = createSignInLimit(deps.settings.authRatePerMinute);
  return (route) => {
    const handler = serve(dispatchDeps, route);
    return isSignIn(route) ? oneAfterTheOther(signInLimit, handler) : handler;
  };
}

function oneAfterTheOther(first: RequestHandler, second: RequestHandler): RequestHandler {
  return (req, res, next) =>
    first(req, res, (error?: unknown) => {
      if (error === undefined) void second(req, res, next);
      else next(error);
    });
}

function serve(deps: DispatchDeps, route: Route): RequestHandler {
  const mayCompress = !route.answersSecret && route.dashboardOnly !== true && route.renewsSession !== true;
  return async (req, res) => {
    if (mayCompress) allowCompression(res);
    try {
      const answer = await dispatch(deps, route, req, res);
      if (answer instanceof StreamReply) {
        const { logger } = deps;
        await sendStream(res, answer, { logger, requestId: readRequestId(res), path: route.path });
        return;
      }
      if (deps.checkAnswers) assertDocumented(route, answer);
      sendResponse(res, answer);
    } catch (error) {
      sendResponse(res, toFailure(deps.logger, error, { requestId: readRequestId(res), path: route.path }));
    }
  };
}

/** Error codes that only the dashboard's own session gets. */
const OF_SESSIONS: ReadonlySet<string> = new Set(['FORBIDDEN', 'STEP_UP_REQUIRED']);

/** For tests: the documentation must contain every code that a route can return. */
function assertDocumented(route: Route, { body }: Answer): void {
  const codes: ReadonlySet<string> = documentedErrors(route);
  const code = body.error?.code;
  if (code === undefined || codes.has(code) || OF_SESSIONS.has(code)) return;
  throw new Error(`${route.method} ${route.path} answered ${code}, which its documentation does not list`);
}

function onError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const fields = { requestId: readRequestId(res), path: loggedPath(req.path) };
    sendResponse(res, toFailure(logger, clientError(error) ?? error, fields));
  };
}
