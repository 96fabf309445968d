import cors from 'cors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import type { Registry } from 'prom-client';
import { AppError } from '../domain/errors.ts';
import type { SecretBox } from '../domain/keys.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { Db } from '../store/database.ts';
import type { Tokens } from '../usecases/auth/tokens.ts';
import { docsRouter } from './docs/router.ts';
import { dispatch, toFailure, type DispatchDeps } from './dispatch.ts';
import { failure, type Answer } from './envelope.ts';
import { createOnce } from './idempotency.ts';
import { documentedErrors } from './openapi-errors.ts';
import { createOpenApi } from './openapi.ts';
import { createSignInLimit, isSignIn } from './rate-limit.ts';
import { createBodyReader } from './read-body.ts';
import { assignRequestId, requestIdOf } from './request-id.ts';
import { createRequestLog } from './request-log.ts';
import type { Route } from './route.ts';
import { healthRouter, type Readiness } from './routes/health.ts';
import { sendAnswer } from './send-answer.ts';

export interface HttpSettings {
  /** False, a number of proxy hops, or addresses and subnets of proxies: as Express takes it. */
  readonly trustProxy: false | number | readonly string[];
  readonly bodyLimitBytes: number;
  /** Sign-in requests per minute and client address; 0 switches the limit off. */
  readonly authRatePerMinute: number;
  /** Public address, without a slash at the end. */
  readonly baseUrl: string;
  readonly version: string;
}

export interface ApiDeps {
  readonly routes: readonly Route[];
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly tokens: Tokens;
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
  readonly settings: HttpSettings;
  /** Checks every answer against its schema; for tests. */
  readonly checkAnswers?: boolean;
  /** Pages beside the API (dashboard, checkout), tried before the 404. */
  readonly pages?: readonly Router[];
}

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];

/** The Express application: what every request passes on its way to its route, and the routes. */
export function createApi(deps: ApiDeps & { readonly isClosing: () => boolean }): Express {
  const { settings, logger, registry, routes } = deps;
  const app = express();
  app.set('trust proxy', settings.trustProxy);
  app.set('query parser', 'simple');
  app.disable('etag');
  const paths = new Set([
    ...routes.map(({ path }) => path),
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
  ]);
  app.use(assignRequestId, createRequestLog(logger, registry, paths), drain(deps.isClosing), ...guards());
  app.use(healthRouter(deps));
  mountOpenApi(app, deps);
  mountRoutes(app, deps);
  for (const pages of deps.pages ?? []) app.use(pages);
  app.use((_req, res) =>
    sendAnswer(res, failure(new AppError('NOT_FOUND', 'There is nothing at this address'))),
  );
  app.use(onError(logger));
  return app;
}

/** While closing, every answer also ends its connection. */
function drain(isClosing: () => boolean): RequestHandler {
  return (_req, res, next) => {
    if (isClosing()) res.setHeader('Connection', 'close');
    next();
  };
}

function guards(): RequestHandler[] {
  const nothing = {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
  };
  return [
    helmet({ contentSecurityPolicy: { useDefaults: false, directives: nothing } }),
    // A public API by bearer token: no cookies, so any page may call it with a key it was given.
    cors({
      origin: '*',
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
      allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 86_400,
    }),
  ];
}

function mountOpenApi(app: Express, deps: ApiDeps): void {
  const document = createOpenApi(deps.routes, deps.settings);
  app.get('/openapi.json', (_req, res) => void res.json(document));
  app.use(docsRouter(document));
}

function mountRoutes(app: Express, deps: ApiDeps): void {
  const once = createOnce(deps);
  const readBody = createBodyReader(deps.settings.bodyLimitBytes);
  const dispatchDeps: DispatchDeps = { ...deps, once, readBody, checkAnswers: deps.checkAnswers ?? false };
  const signInLimit = createSignInLimit(deps.settings.authRatePerMinute);
  const allowed = new Map<string, string[]>();
  for (const route of deps.routes) {
    const handlers = [...(isSignIn(route) ? [signInLimit] : []), serve(dispatchDeps, route)];
    register(app, route, handlers);
    const methods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
    allowed.set(route.path, [...(allowed.get(route.path) ?? []), ...methods]);
  }
  for (const [path, methods] of allowed) app.all(path, notAllowed(methods));
}

function register(app: Express, { method, path }: Route, handlers: RequestHandler[]): void {
  switch (method) {
    case 'GET':
      app.get(path, handlers);
      break;
    case 'POST':
      app.post(path, handlers);
      break;
    case 'PATCH':
      app.patch(path, handlers);
      break;
    case 'DELETE':
      app.delete(path, handlers);
      break;
  }
}

function serve(deps: DispatchDeps, route: Route): RequestHandler {
  return async (req, res) => {
    try {
      const answer = await dispatch(deps, route, req, res);
      if (deps.checkAnswers) assertDocumented(route, answer);
      sendAnswer(res, answer);
    } catch (error) {
      sendAnswer(res, toFailure(deps.logger, error, { requestId: requestIdOf(res), path: route.path }));
    }
  };
}

/** For tests: the documentation must know every code a route can answer. */
function assertDocumented(route: Route, { body }: Answer): void {
  const codes: ReadonlySet<string> = documentedErrors(route);
  const code = body.error?.code;
  if (code === undefined || codes.has(code)) return;
  throw new Error(`${route.method} ${route.path} answered ${code}, which its documentation does not know`);
}

function notAllowed(methods: readonly string[]): RequestHandler {
  return (_req, res) => {
    const error = new AppError('METHOD_NOT_ALLOWED', `This address takes ${methods.join(', ')} only`);
    sendAnswer(res, failure(error, { Allow: methods.join(', ') }));
  };
}

function onError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    sendAnswer(res, toFailure(logger, error, { requestId: requestIdOf(res), path: req.path }));
  };
}
