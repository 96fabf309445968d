import type { Router } from 'express';
import type { Registry } from 'prom-client';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import { failure, success } from '../server/envelope.ts';
import { requestIdOf } from '../server/request-id.ts';
import { sendResponse } from '../server/send-response.ts';
import { strictRouter } from '../server/strict-router.ts';

/** What /readyz tells: of each chain height, lag and last error; no credentials. */
export interface Readiness {
  readonly ready: boolean;
  readonly database: object | string;
  readonly chains: Readonly<Record<string, object>>;
  readonly warnings: readonly string[];
  /** When the newest backup was made. */
  readonly backup?: object;
  /** How far the replica is behind; null without one. */
  readonly replica?: object | null;
}

export interface HealthDeps {
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Routes for those who run the daemon: process, readiness and metrics. */
export function healthRouter(deps: HealthDeps): Router {
  const router = strictRouter();
  router.get('/healthz', (_req, res) => sendResponse(res, success(200, { status: 'ok' })));
  router.get('/readyz', async (_req, res) => {
    const state = await deps.readiness().catch((err: unknown): Readiness => {
      deps.logger.error({ requestId: requestIdOf(res), err }, 'could not tell readiness');
      return { ready: false, database: 'unknown', chains: {}, warnings: [] };
    });
    if (state.ready) return sendResponse(res, success(200, state));
    const answer = failure(new AppError('NODE_UNAVAILABLE', 'Not ready'));
    return sendResponse(res, { ...answer, body: { ...answer.body, data: state } });
  });
  router.get('/metrics', async (_req, res) => {
    const text = await deps.registry.metrics();
    res.set('Cache-Control', 'no-store').type(deps.registry.contentType).send(text);
  });
  return router;
}
