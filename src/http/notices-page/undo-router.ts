import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { type PendingForward, readPendingForward, undoForward } from '../../usecases/forwards/index.ts';
import { noticeTexts } from '../../usecases/notices/index.ts';
import { negotiateLanguage } from '../checkout/negotiate-language.ts';
import { html } from '../pages/html.ts';
import { sendPage } from '../pages/page-headers.ts';
import { clientError } from '../server/client-error.ts';
import { toFailure } from '../server/dispatch.ts';
import { createPageLimit } from '../server/page-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { strictRouter } from '../server/strict-router.ts';
import { renderPage } from './document.ts';
import type { NoticesPageDeps } from './router.ts';

const PATH = '/notices/forward';
const READS_PER_MINUTE = 60;
const FORM_LIMIT_BYTES = 1_024;

/**
 * Drops the pending destination of a forward that the link of a mail names. A GET changes nothing, because mail programs
 * open links automatically. It needs no sign-in, because the person may have lost the account to the thief who made the
 * change, and the link can only stop money from leaving.
 */
export function undoForwardRouter(deps: NoticesPageDeps): Router {
  const router = strictRouter();
  router.use(PATH, createPageLimit(READS_PER_MINUTE));
  router.get(PATH, show(deps));
  router.post(PATH, express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES }), undo(deps));
  router.use(PATH, onError(deps));
  return router;
}

function readToken(req: Request): string {
  const { token } = req.query;
  return typeof token === 'string' ? token : '';
}

function readLanguage(req: Request): Language {
  return negotiateLanguage(undefined, req.acceptsLanguages());
}

function show(deps: NoticesPageDeps): RequestHandler {
  return async (req, res) => {
    const pending = await readPendingForward(deps, readToken(req));
    sendPage(res, 200, page(deps, readLanguage(req), { pending, isDone: false }));
  };
}

function undo(deps: NoticesPageDeps): RequestHandler {
  return async (req, res) => {
    const pending = await undoForward(deps, readToken(req));
    sendPage(res, 200, page(deps, readLanguage(req), { pending, isDone: true }));
  };
}

function page(
  { assets }: NoticesPageDeps,
  language: Language,
  { pending, isDone }: { readonly pending: PendingForward; readonly isDone: boolean },
): string {
  const texts = noticeTexts(language);
  const { shop, coin, takesEffectAt: time } = pending;
  const content = isDone
    ? html`<p role="status">${texts.undoDone}</p>`
    : html`<p>${interpolate(texts.undoQuestion, { shop, coin, time })}</p>
        <form method="post"><button class="button">${texts.undoButton}</button></form>`;
  return renderPage(language, assets.checkout, { title: texts.undoTitle, content });
}

function onError(deps: NoticesPageDeps): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const fields = { requestId: readRequestId(res), path: PATH };
    const { status } = toFailure(deps.logger, clientError(error) ?? error, fields);
    const language = readLanguage(req);
    const texts = noticeTexts(language);
    const content = html`<p role="alert">${texts.undoInvalid}</p>`;
    sendPage(res, status, renderPage(language, deps.assets.checkout, { title: texts.undoTitle, content }));
  };
}
