import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { readPendingForward, undoForward } from '../../usecases/forwards/index.ts';
import { noticeTexts } from '../../usecases/notices/index.ts';
import { type PendingWatch, readPendingWatch, undoWatch } from '../../usecases/watch/index.ts';
import { negotiateLanguage } from '../checkout/negotiate-language.ts';
import { html } from '../pages/html.ts';
import { sendPage } from '../pages/page-headers.ts';
import { clientError } from '../server/client-error.ts';
import { toFailure } from '../server/dispatch.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { strictRouter } from '../server/strict-router.ts';
import { renderPage } from './document.ts';
import type { NoticesPageDeps } from './router.ts';

const READS_PER_MINUTE = 60;
const FORM_LIMIT_BYTES = 1_024;

/** A change that the link of a mail undoes. */
interface Undo {
  readonly path: string;
  readonly question: (texts: ReturnType<typeof noticeTexts>) => string;
  readonly read: (deps: NoticesPageDeps, token: string) => Promise<Pending>;
  readonly undo: (deps: NoticesPageDeps, token: string) => Promise<Pending>;
}

/** The same of both. */
type Pending = PendingWatch;

const FORWARD: Undo = {
  path: '/notices/forward',
  question: (texts) => texts.undoQuestion,
  read: readPendingForward,
  undo: undoForward,
};
const WATCH: Undo = {
  path: '/notices/watch',
  question: (texts) => texts.undoWatchQuestion,
  read: readPendingWatch,
  undo: undoWatch,
};

/**
 * Drops the pending destination of a forward, or the pending watched account, that the link of a mail names. A GET changes nothing, because mail programs
 * open links automatically. It needs no sign-in, because the person may have lost the account to the thief who made the
 * change, and the link can only keep money where it is.
 */
export function undoRouter(deps: NoticesPageDeps): Router {
  const router = strictRouter();
  for (const kind of [FORWARD, WATCH]) {
    const { path } = kind;
    router.use(path, createPageRateLimit(READS_PER_MINUTE));
    router.get(path, show(deps, kind));
    router.post(path, express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES }), undo(deps, kind));
    router.use(path, onError(deps, kind));
  }
  return router;
}

function readToken(req: Request): string {
  const { token } = req.query;
  return typeof token === 'string' ? token : '';
}

function readLanguage(req: Request): Language {
  return negotiateLanguage(undefined, req.acceptsLanguages());
}

function show(deps: NoticesPageDeps, { read, question }: Undo): RequestHandler {
  return async (req, res) => {
    const pending = await read(deps, readToken(req));
    sendPage(res, 200, page(deps, readLanguage(req), { pending, question }));
  };
}

function undo(deps: NoticesPageDeps, { undo: drop }: Undo): RequestHandler {
  return async (req, res) => {
    const pending = await drop(deps, readToken(req));
    sendPage(res, 200, page(deps, readLanguage(req), { pending, question: null }));
  };
}

function page(
  { assets }: NoticesPageDeps,
  language: Language,
  { pending, question }: { readonly pending: Pending; readonly question: Undo['question'] | null },
): string {
  const texts = noticeTexts(language);
  const { shop, coin, takesEffectAt: time } = pending;
  const content =
    question === null
      ? html`<p role="status">${texts.undoDone}</p>`
      : html`<p>${interpolate(question(texts), { shop, coin, time })}</p>
          <form method="post"><button class="button">${texts.undoButton}</button></form>`;
  return renderPage(language, assets.checkout, { title: texts.undoTitle, content });
}

function onError(deps: NoticesPageDeps, { path }: Undo): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const fields = { requestId: readRequestId(res), path };
    const { status } = toFailure(deps.logger, clientError(error) ?? error, fields);
    const language = readLanguage(req);
    const texts = noticeTexts(language);
    const content = html`<p role="alert">${texts.undoInvalid}</p>`;
    sendPage(res, status, renderPage(language, deps.assets.checkout, { title: texts.undoTitle, content }));
  };
}
