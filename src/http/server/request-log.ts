import { performance } from 'node:perf_hooks';
import type { Request, Response } from 'express';
import { Histogram, type Registry } from 'prom-client';
import type { Logger } from '../../domain/ports.ts';
import type { Caller } from '../../usecases/accounts/index.ts';
import { clientAddress, networkKey } from './client-key.ts';
import { readRequestId } from './request-id.ts';

/**
 * The detail of the request log: full, the client's network instead of its address, or nothing below `debug`.
 */
export type AccessLog = 'full' | 'anonymous' | 'off';

/** Maximum length of a path in the log; no path of tilld is close to it. */
const PATH_MAX = 200;

/** Probes run every few seconds and would obscure other lines. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** The route label of an unmatched request. */
const NO_ROUTE = 'other';

interface RequestLogOptions {
  readonly logger: Logger;
  readonly registry: Registry;
  readonly accessLog: AccessLog;
}

/**
 * One log line and one measurement per request: route, path, status, time, client and caller. Never headers,
 * query or bodies, which contain credentials and personal data.
 */
export function createRequestLog(options: RequestLogOptions): (req: Request, res: Response) => void {
  const { logger, accessLog } = options;
  const duration = durations(options.registry);
  return (req, res) => {
    const started = performance.now();
    const { method } = req;
    const path = loggedPath(req.path);
    const client = accessLog === 'anonymous' ? networkKey(req) : clientAddress(req);
    res.on('close', () => {
      const ms = performance.now() - started;
      const route = routePath(req, res);
      // Only methods of known routes become labels, because strangers could otherwise grow the metrics.
      const label = route === NO_ROUTE ? 'ANY' : method;
      duration.observe({ method: label, route, status: res.statusCode }, ms / 1000);
      const fields = {
        requestId: readRequestId(res),
        method,
        route,
        path,
        status: res.statusCode,
        ms: Math.round(ms),
        client,
        ...actorFields(res),
        ...paymentFields(res),
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      if (accessLog === 'off' || QUIET.has(path)) logger.debug(fields, 'request');
      else logger.info(fields, 'request');
    });
  };
}

function durations(registry: Registry): Histogram<'method' | 'route' | 'status'> {
  return new Histogram({
    name: 'tilld_http_request_duration_seconds',
    help: 'Time to answer HTTP requests',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
}

/** Records the route of a request by this path. */
export function recordRoute(res: Response, path: string): void {
  res.locals['route'] = path;
}

/** The route pattern of a request, of the API or of a page. */
function routePath(req: Request, res: Response): string {
  const noted: unknown = res.locals['route'];
  if (typeof noted === 'string') return noted;
  // Express's type declares a route even if none was matched.
  const page = req.route as { readonly path: string | readonly string[] } | undefined;
  const pattern = typeof page?.path === 'string' ? page.path : page?.path.at(-1);
  return pattern ?? NO_ROUTE;
}

/** Records the caller of a request, once its credential is valid. */
export function recordCaller(res: Response, caller: Caller | null): void {
  res.locals['caller'] = caller;
}

/**
 * The caller of a request, by id: the user, the restricted key, or the merchant of a public or secret key.
 */
function actorFields(res: Response): { readonly actor?: Caller['kind']; readonly actorId?: string } {
  const caller = (res.locals['caller'] ?? null) as Caller | null;
  if (caller === null) return {};
  const { kind } = caller;
  if (kind === 'user') return { actor: kind, actorId: caller.userId };
  if (kind === 'counter') return { actor: kind, actorId: caller.counterId };
  return { actor: kind, actorId: kind === 'restricted' ? caller.keyId : caller.merchant.id };
}

/**
 * The path of a request for the log. The tokens of refund links and of pages of subscriptions give access to
 * money, so they are replaced, also in a mistyped or rewritten address.
 */
export function loggedPath(path: string): string {
  const safe = path.replace(/^(\/[rs]\/).+/i, '$1[token]').replace(/[0-9A-Za-z]{40,}/g, '[token]');
  return safe.length > PATH_MAX ? `${safe.slice(0, PATH_MAX)}…` : safe;
}

function paymentFields(res: Response): { readonly paymentId?: string } {
  const paymentId: unknown = res.locals['paymentId'];
  return typeof paymentId === 'string' ? { paymentId } : {};
}
