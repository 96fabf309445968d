import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { z } from 'zod';
import { asCoin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import {
  previewExcess,
  readExcessPage,
  requestExcess,
  type RequestExcessDeps,
} from '../../usecases/refunds/index.ts';
import { negotiateLanguage, createTranslator } from '../checkout/negotiate-language.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { clientError } from '../server/client-error.ts';
import { clientKey } from '../server/client-key.ts';
import { isCrossSiteRequest } from '../server/csrf.ts';
import { toFailure } from '../server/dispatch.ts';
import { success } from '../server/envelope.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import type { PublicLimit } from '../server/public-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { sendResponse } from '../server/send-response.ts';
import { strictRouter } from '../server/strict-router.ts';
import { describeMistake } from './describe-mistake.ts';
import { refundPage, refundProblemPage } from './document.ts';
import type { RefundPageModel } from './page-model.ts';

export interface ExcessPageDeps extends RequestExcessDeps {
  readonly assets: WebAssets;
  /** Counts claims of a client address. */
  readonly claimLimit: PublicLimit;
}

const READS_PER_MINUTE = 600;
const FORM_LIMIT_BYTES = 2_048;
const PATH = '/checkout/:paymentId/excess';

type Scene = RefundPageModel & { readonly embedOrigins: readonly string[] };

/**
 * The page on which the payer of an overpaid order requests the excess. Everyone who has the payment's link may
 * do so, so each request waits for the shop's approval.
 */
export function excessPageRouter(deps: ExcessPageDeps): Router {
  const router = strictRouter();
  router.use(PATH, createPageRateLimit(READS_PER_MINUTE));
  router.get(PATH, show(deps));
  router.post(PATH, express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES }), ask(deps));
  router.use(PATH, onError(deps));
  return router;
}

function readPaymentId(req: Request): string {
  return String(req.params['paymentId']);
}

async function loadScene(deps: ExcessPageDeps, req: Request): Promise<Scene> {
  const paymentId = readPaymentId(req);
  const { link, locale, embedOrigins } = await readExcessPage(deps, paymentId);
  const language = negotiateLanguage(req.query['lang'], req.acceptsLanguages(), locale);
  const embedder = embedOrigins.find((origin) => origin === req.query['embed']) ?? null;
  const query = new URLSearchParams({ lang: language, ...(embedder === null ? {} : { embed: embedder }) });
  const request = { query: String(query), checkout: `/checkout/${paymentId}?${query}`, embedder };
  return { link, language, say: createTranslator(language), request, embedOrigins };
}

/** An order without an excess and without a request has no such page: redirects to its own. */
function show(deps: ExcessPageDeps): RequestHandler {
  return async (req, res) => {
    try {
      answerPage(deps, res, 200, await loadScene(deps, req));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error;
      res.redirect(303, checkoutAddress(req));
    }
  };
}

const text = (max: number) => z.string().trim().max(max).catch('');
const requestForm = z
  .object({
    step: z.enum(['check', 'edit', 'claim']).catch('check'),
    coin: text(10),
    destination: text(200),
    amount: text(100),
  })
  .catch({ step: 'check', coin: '', destination: '', amount: '' });

/** A page validates the input first and requests once it was confirmed; a program requests at once. */
function ask(deps: ExcessPageDeps): RequestHandler {
  return async (req, res) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' });
    // Another site must not make its visitors request a refund to an address of its own.
    if (isCrossSiteRequest(req, deps.baseUrl))
      throw new AppError('FORBIDDEN', 'A refund is requested on its own page only');
    await deps.claimLimit('refund-link', clientKey(req));
    const { step, coin: code, destination, amount } = requestForm.parse(req.body ?? {});
    const entered = { coin: code, destination };
    const coin = asCoin(code);
    try {
      if (wantsPage(req) && step === 'edit')
        return answerPage(deps, res, 200, { ...(await loadScene(deps, req)), entered });
      if (coin === null) throw new AppError('VALIDATION_INVALID', 'coin', { details: [COIN_MISSING] });
      const target = {
        paymentId: readPaymentId(req),
        coin,
        destination,
        ...(amount === '' ? {} : { amount }),
      };
      if (!wantsPage(req)) return await answerProgram(deps, req, res, target);
      if (step === 'claim') return await confirm(deps, req, res, target);
      const scene = await loadScene(deps, req);
      const option = scene.link.options.find((each) => each.coin === coin);
      const preview = await previewExcess(deps, target);
      if (option === undefined) throw new AppError('INVALID_STATE', 'the excess changed in the meantime');
      return answerPage(deps, res, 200, { ...scene, entered, confirm: { option, preview } });
    } catch (error) {
      return answerMistake(deps, req, res, { error, entered });
    }
  };
}

const COIN_MISSING = { field: 'coin', code: 'required', message: 'is required' };

type Target = Parameters<typeof requestExcess>[1];
type Res = Parameters<RequestHandler>[1];

/** A form that was submitted twice is redirected to the same page. */
async function confirm(deps: ExcessPageDeps, req: Request, res: Res, target: Target): Promise<void> {
  await requestExcess(deps, target);
  const { request } = await loadScene(deps, req);
  res.redirect(303, `/checkout/${target.paymentId}/excess?${request?.query ?? ''}`);
}

async function answerProgram(deps: ExcessPageDeps, req: Request, res: Res, target: Target): Promise<void> {
  await requestExcess(deps, target);
  const { status, claim } = (await loadScene(deps, req)).link;
  const { coin, amount, destination } = claim ?? { coin: target.coin, amount: null, destination: null };
  sendResponse(res, success(200, { excess: { status, coin, amount, destination } }));
}

/** The page with the payer's mistake, or with the present state of the request. */
async function answerMistake(
  deps: ExcessPageDeps,
  req: Request,
  res: Res,
  { error, entered }: { readonly error: unknown; readonly entered: { coin: string; destination: string } },
): Promise<void> {
  if (!(error instanceof AppError) || !wantsPage(req)) throw error;
  const scene = await loadScene(deps, req);
  const { say, link } = scene;
  if (error.code === 'INVALID_STATE') {
    const isChanged = link.status === 'open';
    return answerPage(
      deps,
      res,
      409,
      isChanged ? { ...scene, entered, notice: say('excessChanged') } : scene,
    );
  }
  const mistake = describeMistake(deps.chains, error, {
    say,
    coin: asCoin(entered.coin),
    mode: link.sandbox ? 'sandbox' : 'live',
    destination: entered.destination,
  });
  if (mistake === null) throw error;
  answerPage(deps, res, mistake.status, { ...scene, entered, mistake });
}

function answerPage(deps: ExcessPageDeps, res: Res, status: number, scene: Scene): void {
  // The form sends its own origin; no other site receives the address.
  res.set({ 'Referrer-Policy': 'same-origin', 'X-Robots-Tag': 'noindex' });
  sendPage(res, status, refundPage(scene, deps.assets.checkout), scene.embedOrigins);
}

function wantsPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

function checkoutAddress(req: Request): string {
  const query = new URLSearchParams();
  for (const name of ['lang', 'embed']) {
    const value = req.query[name];
    if (typeof value === 'string') query.set(name, value);
  }
  return `/checkout/${encodeURIComponent(readPaymentId(req))}?${query}`;
}

function onError(deps: ExcessPageDeps): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    // Without any excess the payment's own page states what there is.
    if (wantsPage(req) && error instanceof AppError && error.code === 'INVALID_STATE') {
      return res.redirect(303, checkoutAddress(req));
    }
    const context = { requestId: readRequestId(res), path: req.baseUrl + req.path };
    const answer = toFailure(deps.logger, clientError(error) ?? error, context);
    if (!wantsPage(req)) return sendResponse(res, answer);
    for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
    const kind = answer.status === 404 ? 'notFound' : answer.status === 429 ? 'tooOften' : 'error';
    const language = negotiateLanguage(req.query['lang'], req.acceptsLanguages());
    res.set('X-Robots-Tag', 'noindex');
    return sendPage(res, answer.status, refundProblemPage(kind, language, deps.assets.checkout));
  };
}
