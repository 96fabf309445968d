import express, { type Router, type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { z } from 'zod';
import { asCoin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import type { RenderPdf } from '../../domain/print-document.ts';
import { printLanguage, type Language } from '../../i18n/languages.ts';
import type { MailText } from '../../usecases/mail/index.ts';
import {
  hasReceipt,
  mailReceipt,
  readCheckout,
  readReceiptMail,
  type ReceiptMailDeps,
} from '../../usecases/checkout/index.ts';
import { simulatePayment, type SimulatePaymentDeps } from '../../usecases/payments/index.ts';
import { clientError } from '../server/client-error.ts';
import { clientKey } from '../server/client-key.ts';
import { toFailure } from '../server/dispatch.ts';
import { isCrossSiteRequest } from '../server/csrf.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { coin } from '../schemas/codes.ts';
import { sendResponse } from '../server/send-response.ts';
import { success, failure } from '../server/envelope.ts';
import { matchesEtag } from '../server/constant-text.ts';
import { allowCompression, sendText } from '../server/send-text.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { checkoutPage, problemPage, SIMULATIONS } from './document.ts';
import { negotiateLanguage, createTranslator } from './negotiate-language.ts';
import { stateJson, snapshotVersion } from './snapshots.ts';
import { checkoutPath, receiptPath, type PageModel } from './page-model.ts';
import { receiptPage } from './receipt.ts';
import { receiptDocument } from './receipt-document.ts';
import { receiptMail } from './receipt-mail.ts';
import type { CheckoutEventStreams } from './event-streams.ts';
import { strictRouter } from '../server/strict-router.ts';

export interface CheckoutDeps extends ReceiptMailDeps, SimulatePaymentDeps {
  readonly logger: Logger;
  readonly assets: WebAssets;
  readonly streams: CheckoutEventStreams;
  readonly renderPdf: RenderPdf;
}

const SIMULATIONS_PER_MINUTE = 20;
const RECEIPTS_PER_MINUTE = 10;
const PDFS_PER_MINUTE = 6;
const FORM_LIMIT_BYTES = 2_048;

/** The payment page and its live updates. Everyone who has the link may open it. */
export function checkoutRouter(deps: CheckoutDeps): Router {
  const router = strictRouter();
  router.get('/checkout/:paymentId', page(deps));
  router.get('/checkout/:paymentId/receipt', receipt(deps));
  router.get('/checkout/:paymentId/receipt.pdf', createPageRateLimit(PDFS_PER_MINUTE), receiptPdf(deps));
  router.post('/checkout/:paymentId/receipt/mail', createPageRateLimit(RECEIPTS_PER_MINUTE), mail(deps));
  router.get('/checkout/:paymentId/state', state(deps));
  router.head('/checkout/:paymentId/events', eventsHead(deps));
  router.get('/checkout/:paymentId/events', events(deps));
  router.post(
    '/checkout/:paymentId/simulate',
    simulationLimit(),
    express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES }),
    simulate(deps),
  );
  router.use('/checkout', onError(deps));
  return router;
}

function requestLanguage(req: Request, locale: string | null = null): Language {
  return negotiateLanguage(req.query['lang'], req.acceptsLanguages(), locale);
}

async function loadScene(deps: CheckoutDeps, req: Request): Promise<PageModel> {
  const view = await readCheckout(deps, String(req.params['paymentId']));
  const language = requestLanguage(req, view.payment.locale);
  const requestedCoin = req.query['coin'];
  return {
    view,
    language,
    embedder: view.embedOrigins.find((origin) => origin === req.query['embed']) ?? null,
    say: createTranslator(language),
    coin: typeof requestedCoin === 'string' ? asCoin(requestedCoin) : null,
  };
}

function page(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    const scene = await loadScene(deps, req);
    const at = { version: snapshotVersion(scene.view), now: deps.clock.now() };
    // The form sends its own origin; no other site receives the address.
    res.setHeader('Referrer-Policy', 'same-origin');
    allowCompression(res);
    sendPage(res, 200, checkoutPage(scene, deps.assets.checkout, at), scene.view.embedOrigins);
  };
}

/** An unpaid payment has no receipt yet: redirects to its own page. */
function receipt(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    const scene = await loadScene(deps, req);
    if (!hasReceipt(scene.view)) return res.redirect(303, checkoutPath(scene));
    const mail = await readReceiptMail(deps, scene.view);
    // As on the payment's page, the form sends its own origin.
    res.setHeader('Referrer-Policy', 'same-origin');
    allowCompression(res);
    return sendPage(res, 200, receiptPage(scene, deps.assets.checkout, mail), scene.view.embedOrigins);
  };
}

function receiptPdf(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    const scene = await loadScene(deps, req);
    if (!hasReceipt(scene.view)) return res.redirect(303, checkoutPath(scene));
    const language = printLanguage(scene.language);
    const pdf = await deps.renderPdf(
      receiptDocument({ ...scene, language, say: createTranslator(language) }),
    );
    const name = scene.view.payment.receipt?.number ?? scene.view.payment.id;
    res.set({
      'Cache-Control': 'no-store',
      'Content-Disposition': `attachment; filename="receipt-${name.replace(/[^\w.-]/g, '-')}.pdf"`,
    });
    return res.type('pdf').send(Buffer.from(pdf));
  };
}

/**
 * Mails the receipt to the customer of the payment, once; redirects to the receipt, which shows the state.
 */
function mail(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    const scene = await loadScene(deps, req);
    const write = (view: PageModel['view']): MailText => receiptMail({ ...scene, view }, deps.baseUrl);
    try {
      // Another site must not make its visitors request mails unknowingly.
      if (!isCrossSiteRequest(req, deps.baseUrl)) await mailReceipt(deps, scene.view.payment.id, write);
    } catch (error) {
      // The page without the form is enough of an answer.
      if (!wantsPage(req) || !(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error;
    }
    res.redirect(303, receiptPath(scene));
  };
}

/** For browsers that cannot keep a stream open. */
function state(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    const scene = await loadScene(deps, req);
    // Weak, because the compressed body has the same tag.
    const tag = `W/"${snapshotVersion(scene.view)}"`;
    res.set({ 'Cache-Control': 'no-cache', ETag: tag });
    // Also on a 304, which updates the headers of the cached response.
    res.vary('Accept-Encoding');
    if (matchesEtag(req.get('If-None-Match'), tag)) {
      res.status(304).end();
      return;
    }
    allowCompression(res);
    sendText(res.type('json'), stateJson(scene, deps.baseUrl));
  };
}

/** Such a response has no body: a stream would block the next response on the connection. */
function eventsHead(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    await readCheckout(deps, String(req.params['paymentId']));
    res.type('text/event-stream').end();
  };
}

function events(deps: CheckoutDeps): RequestHandler {
  return (req, res, next) => {
    const client = clientKey(req);
    // 204 stops EventSource; the page then polls the state.
    if (!deps.streams.hasCapacity(client)) {
      res.status(204).end();
      return;
    }
    const paymentId = String(req.params['paymentId']);
    deps.streams.open({ req, res, next, client, paymentId, language: requestLanguage(req) });
  };
}

const simulateBody = z.object({
  scenario: z.enum(Object.keys(SIMULATIONS) as (keyof typeof SIMULATIONS)[]),
  coin: coin().optional(),
});

function simulationLimit(): RequestHandler {
  return createPageRateLimit(SIMULATIONS_PER_MINUTE, (_req, res) =>
    sendResponse(res, failure(new AppError('RATE_LIMITED', 'Too many simulations: try again in a minute'))),
  );
}

/**
 * Simulates the payer in the sandbox; the use case rejects live payments. A form without script is redirected
 * back.
 */
function simulate(deps: CheckoutDeps): RequestHandler {
  return async (req, res) => {
    const { view } = await loadScene(deps, req);
    const body = simulateBody.safeParse(req.body);
    if (!body.success) throw new AppError('VALIDATION_INVALID', 'scenario or coin is not known');
    const { scenario, coin } = body.data;
    await simulatePayment(deps, {
      merchantId: view.merchantId,
      paymentId: view.payment.id,
      scenario,
      ...(coin === undefined ? {} : { coin }),
    });
    if (wantsPage(req)) {
      const query = new URLSearchParams({
        lang: requestLanguage(req),
        ...(coin === undefined ? {} : { coin }),
      });
      res.redirect(303, `/checkout/${encodeURIComponent(view.payment.id)}?${query}`);
    } else sendResponse(res, success(200, { scenario }));
  };
}

function wantsPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

function onError(deps: CheckoutDeps): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const context = { requestId: readRequestId(res), path: req.baseUrl + req.path };
    const answer = toFailure(deps.logger, clientError(error) ?? error, context);
    if (!wantsPage(req)) return sendResponse(res, answer);
    for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
    const kind = answer.status === 404 ? 'notFound' : 'error';
    return sendPage(res, answer.status, problemPage(kind, requestLanguage(req), deps.assets.checkout));
  };
}
