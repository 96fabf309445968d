import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { AppError } from '../../domain/errors.ts';
import { clientKey } from './client-key.ts';
import { failure } from './envelope.ts';
import type { Route } from './route.ts';
import { sendResponse } from './send-response.ts';
import { WINDOW_MS, WindowCounts } from './window-counts.ts';

/** Whether a route counts towards the sign-in limit: POSTs under /auth that need no token. */
export function isSignIn(route: Route): boolean {
  return route.method === 'POST' && route.auth === 'none' && route.path.startsWith('/auth/');
}

/** GET routes whose cost a stranger could cause at will: requests to price sources. */
const LIMITED_READS: ReadonlySet<string> = new Set(['/rates']);

/**
 * The rate limit bucket of a request with a public key: creates share one, each limited read has its own, so
 * that a page that reads rates leaves its payers their orders. Null: not limited.
 */
export function rateLimitBucket({ method, path }: Route, merchantId: string): string | null {
  if (method !== 'GET') return merchantId;
  return LIMITED_READS.has(path) ? `${merchantId} ${path}` : null;
}

/** Whether an unauthenticated client may create something by a route, limited like a public key. */
export function isUnauthenticatedCreate(route: Route): boolean {
  return route.method === 'POST' && route.auth === 'none' && !isSignIn(route);
}

/** One limit for all sign-in routes together, per client address. @param perMinute 0: no limit. */
export function createSignInLimit(perMinute: number): RequestHandler {
  if (perMinute === 0) return (_req, _res, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    store: new WindowCounts(),
    limit: perMinute,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: clientKey,
    // Its own checks print to the console when they detect a proxy header; the daemon's setting decides about
    // proxies.
    validate: false,
    handler: (_req, res) => {
      sendResponse(res, failure(new AppError('RATE_LIMITED', 'Too many attempts: try again in a minute')));
    },
  });
}
