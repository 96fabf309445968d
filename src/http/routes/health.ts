import type { Response, Router } from 'express';
import type { Registry } from 'prom-client';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import { failure, success } from '../server/envelope.ts';
import { readRequestId } from '../server/request-id.ts';
import { sendResponse } from '../server/send-response.ts';
import { strictRouter } from '../server/strict-router.ts';

/** The body of /readyz: for each chain height, lag and last error; no credentials. */
export interface Readiness {
  readonly ready: boolean;
  readonly database: object | string;
  readonly chains: Readonly<Record<string, object>>;
  readonly warnings: readonly string[];
  /** When the newest backup was made. */
  readonly backup?: object;
  /** Lag of the replica; null without one. */
  readonly replica?: object | null;
  /** A newer release that the update feed names; null without one, or without a feed. */
  readonly update?: object | null;
}

export interface HealthDeps {
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Whether the process responds, and which version of the program it runs. */
export function livenessRouter(version: string): Router {
  const router = strictRouter();
  router.get('/healthz', (_req, res) => sendResponse(res, success(200, { status: 'ok', version })));
  return router;
}

/** For the operator: readiness with its details, and metrics. */
export function operatorRouter(deps: HealthDeps): Router {
  const router = strictRouter();
  router.get('/readyz', async (_req, res) => sendReadiness(res, await readReadiness(deps, res)));
  router.get('/metrics', async (_req, res) => {
    const text = await deps.registry.metrics();
    res.set('Cache-Control', 'no-store').type(deps.registry.contentType).send(text);
  });
  return router;
}

/** The public readiness without details, if the operator has a separate address. */
export function bareReadinessRouter(deps: HealthDeps): Router {
  const router = strictRouter();
  router.get('/readyz', async (_req, res) => {
    const { ready } = await readReadiness(deps, res);
    sendReadiness(res, { ready });
  });
  return router;
}

async function readReadiness({ readiness, logger }: HealthDeps, res: Response): Promise<Readiness> {
  return readiness().catch((err: unknown): Readiness => {
    logger.error({ requestId: readRequestId(res), err }, 'readiness check failed');
    return { ready: false, database: 'unknown', chains: {}, warnings: [] };
  });
}

function sendReadiness(res: Response, state: Pick<Readiness, 'ready'>): void {
  if (state.ready) return sendResponse(res, success(200, state));
  const answer = failure(new AppError('NODE_UNAVAILABLE', 'Not ready'));
  return sendResponse(res, { ...answer, body: { ...answer.body, data: state } });
}
