import express, { type Router, type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { readSubscription, unsubscribe } from '../../usecases/notices/index.ts';
import { negotiateLanguage } from '../checkout/negotiate-language.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { clientError } from '../server/client-error.ts';
import { toFailure } from '../server/dispatch.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { unsubscribePage, unsubscribeProblemPage } from './document.ts';
import { strictRouter } from '../server/strict-router.ts';

export interface NoticesPageDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly assets: WebAssets;
}

const PATH = '/notices/off';
const READS_PER_MINUTE = 60;
const FORM_LIMIT_BYTES = 1_024;

/**
 * Unsubscribes from the kind of mail that the link names. A GET changes nothing, because mail programs open
 * links automatically; the POST of the page's button is also the one-click request of mail programs (RFC
 * 8058), and needs no sign-in.
 */
export function noticesPageRouter(deps: NoticesPageDeps): Router {
  const router = strictRouter();
  router.use(PATH, createPageRateLimit(READS_PER_MINUTE));
  router.get(PATH, show(deps));
  router.post(PATH, express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES }), switchOff(deps));
  router.use(PATH, onError(deps));
  return router;
}

function readToken(req: Request): string {
  const { token } = req.query;
  return typeof token === 'string' ? token : '';
}

function show(deps: NoticesPageDeps): RequestHandler {
  return async (req, res) => {
    const language = negotiateLanguage(undefined, req.acceptsLanguages());
    const subscription = await readSubscription(deps, readToken(req));
    sendPage(res, 200, unsubscribePage({ ...subscription, language, isDone: false }, deps.assets.checkout));
  };
}

function switchOff(deps: NoticesPageDeps): RequestHandler {
  return async (req, res) => {
    const language = negotiateLanguage(undefined, req.acceptsLanguages());
    const subscription = await readSubscription(deps, readToken(req));
    await unsubscribe(deps, readToken(req));
    sendPage(res, 200, unsubscribePage({ ...subscription, language, isDone: true }, deps.assets.checkout));
  };
}

function onError(deps: NoticesPageDeps): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const fields = { requestId: readRequestId(res), path: PATH };
    const { status } = toFailure(deps.logger, clientError(error) ?? error, fields);
    const language = negotiateLanguage(undefined, req.acceptsLanguages());
    sendPage(res, status, unsubscribeProblemPage(language, deps.assets.checkout));
  };
}
