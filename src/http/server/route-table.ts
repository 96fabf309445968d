import type { RequestHandler } from 'express';
import { AppError } from '../../domain/errors.ts';
import { failure } from './envelope.ts';
import { recordRoute } from './request-log.ts';
import type { Route } from './route.ts';
import { sendResponse } from './send-response.ts';

/** The routes of one path, by method. */
type Methods = Map<string, RequestHandler>;

/**
 * Dispatches every request to the route of its path by one map lookup, because no path of the API has
 * parameters. A path is matched literally; a GET also serves HEAD. Other paths go to the next handler.
 */
export function routeTable(
  routes: readonly Route[],
  handlerOf: (route: Route) => RequestHandler,
): RequestHandler {
  const paths = new Map<string, Methods>();
  for (const route of routes) {
    const methods: Methods = paths.get(route.path) ?? new Map<string, RequestHandler>();
    const handler = handlerOf(route);
    methods.set(route.method, handler);
    if (route.method === 'GET') methods.set('HEAD', handler);
    paths.set(route.path, methods);
  }
  const refusals = new Map(
    [...paths].map(([path, methods]) => [path, notAllowed([...methods.keys()])] as const),
  );
  return (req, res, next) => {
    const handler = paths.get(req.path)?.get(req.method) ?? refusals.get(req.path);
    if (handler === undefined) {
      next();
      return;
    }
    recordRoute(res, req.path);
    void handler(req, res, next);
  };
}

function notAllowed(methods: readonly string[]): RequestHandler {
  return (_req, res) => {
    const error = new AppError('METHOD_NOT_ALLOWED', `This path accepts ${methods.join(', ')} only`);
    sendResponse(res, failure(error, { Allow: methods.join(', ') }));
  };
}
