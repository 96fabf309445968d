import { performance } from 'node:perf_hooks';
import type { Request, Response } from 'express';
import { Histogram, type Registry } from 'prom-client';
import type { Logger } from '../../domain/ports.ts';
import { requestIdOf } from './request-id.ts';

/** Longest path in the log; no address of tilld comes near. */
const PATH_MAX = 200;

/** Probes come every few seconds and would drown the rest. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * One log line and one measurement per request: method, path, status and time. Never headers,
 * query or bodies: they carry credentials and personal data.
 */
export function createRequestLog(
  logger: Logger,
  registry: Registry,
  routePaths: ReadonlySet<string>,
): (req: Request, res: Response) => void {
  const duration = new Histogram({
    name: 'tilld_http_request_duration_seconds',
    help: 'Time to answer HTTP requests',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return (req, res) => {
    const started = performance.now();
    const { method } = req;
    const path = loggedPath(req.path);
    res.on('close', () => {
      const ms = performance.now() - started;
      // Only known paths become labels: anything else would let strangers grow the metrics.
      const route = routePaths.has(path) ? path : 'other';
      duration.observe(
        { method: routePaths.has(path) ? method : 'ANY', route, status: res.statusCode },
        ms / 1000,
      );
      const fields = {
        requestId: requestIdOf(res),
        method,
        path,
        status: res.statusCode,
        ms: Math.round(ms),
        ...paymentOf(res),
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      if (QUIET.has(path)) logger.debug(fields, 'request');
      else logger.info(fields, 'request');
    });
  };
}

/**
 * The path of a request as it is logged. The token in the address of a refund link is the right to its money, also
 * where the address around it was mistyped or rewritten by a proxy.
 */
export function loggedPath(path: string): string {
  const safe = path.replace(/^(\/r\/).+/i, '$1[token]').replace(/[0-9A-Za-z]{40,}/g, '[token]');
  return safe.length > PATH_MAX ? `${safe.slice(0, PATH_MAX)}…` : safe;
}

function paymentOf(res: Response): { readonly paymentId?: string } {
  const paymentId: unknown = res.locals['paymentId'];
  return typeof paymentId === 'string' ? { paymentId } : {};
}
