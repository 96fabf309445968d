import cors from 'cors';
import type { RequestHandler } from 'express';
import { IGNORED_FIELDS_HEADER } from './ignored-fields.ts';
import type { Route } from './route.ts';

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Idempotent-Replayed',
  IGNORED_FIELDS_HEADER,
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];
const DAY_SECONDS = 86_400;

/**
 * CORS for the routes that accept a public key; all other routes get no CORS headers. Without
 * Access-Control-Allow-Credentials, and without allowing the CSRF header of the dashboard, a page of another
 * origin cannot use a session of the dashboard.
 */
export function publicKeyCors(routes: readonly Pick<Route, 'auth' | 'method' | 'path'>[]): RequestHandler {
  const methods = new Map<string, string[]>();
  for (const { auth, method, path } of routes) {
    if (auth === 'payer') methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  const handlers = new Map([...methods].map(([path, allowed]) => [path, allowing(allowed)] as const));
  return (req, res, next) => {
    const handler = handlers.get(req.path);
    if (handler === undefined) next();
    else handler(req, res, next);
  };
}

function allowing(methods: string[]): RequestHandler {
  return cors({
    origin: '*',
    methods,
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: DAY_SECONDS,
  });
}
