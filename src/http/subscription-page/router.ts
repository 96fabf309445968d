import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { AppError } from '../../domain/errors.ts';
import type { Language } from '../../i18n/languages.ts';
import { renewPayment } from '../../usecases/checkout/index.ts';
import { actInPortal, payAhead, PORTAL_ACTIONS, readPortal } from '../../usecases/subscriptions/index.ts';
import { type ChangeEmailDeps, changePortalEmail } from '../../usecases/subscription-mails/index.ts';
import { negotiateLanguage } from '../checkout/negotiate-language.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { clientError } from '../server/client-error.ts';
import { clientKey } from '../server/client-key.ts';
import { isCrossSiteRequest } from '../server/csrf.ts';
import { toFailure } from '../server/dispatch.ts';
import type { CountOrder } from '../server/order-counter.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import type { PublicLimit } from '../server/public-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { strictRouter } from '../server/strict-router.ts';
import { subscriptionMail } from './mail.ts';
import { portalPage, portalProblemPage } from './page.ts';

export interface SubscriptionPageDeps extends ChangeEmailDeps {
  readonly assets: WebAssets;
  /** Limits public requests, as for public keys. */
  readonly publicLimit: PublicLimit;
  readonly countOrder: CountOrder;
}

const READS_PER_MINUTE = 600;
const FORM_LIMIT_BYTES = 2_048;
const TOKEN = /^[0-9A-Za-z]{22}$/;

/**
 * The page on which a payer sees and pays a subscription. Everyone who has the link may do so, so its token is
 * never logged. A GET changes nothing.
 */
export function subscriptionPageRouter(deps: SubscriptionPageDeps): Router {
  const router = strictRouter();
  router.use('/s', keepPrivate);
  router.use(
    '/s',
    createPageRateLimit(READS_PER_MINUTE, (req, res) =>
      sendPage(res, 429, portalProblemPage('tooOften', requestLanguage(req), deps.assets.checkout)),
    ),
  );
  router.get('/s/:token', show(deps));
  const readForm = express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES });
  router.post('/s/:token/pay', change(deps, pay));
  router.post('/s/:token/ahead', change(deps, ahead));
  router.post('/s/:token/email', readForm, change(deps, email));
  for (const action of PORTAL_ACTIONS) {
    router.post(
      `/s/:token/${action}`,
      change(deps, async (_deps, { token }) => actInPortal(deps, token, action)),
    );
  }
  router.use('/s', onError(deps));
  return router;
}

function requestLanguage(req: Request, locale: string | null = null): Language {
  return negotiateLanguage(req.query['lang'], req.acceptsLanguages(), locale);
}

function readToken(req: Request): string {
  const token = String(req.params['token']);
  if (TOKEN.test(token)) return token;
  throw new AppError('SUBSCRIPTION_NOT_FOUND', 'No such subscription');
}

function show(deps: SubscriptionPageDeps): RequestHandler {
  return async (req, res) => {
    const token = readToken(req);
    const view = await readPortal(deps, token);
    const language = requestLanguage(req, view.locale);
    const isCancelling = req.query['ask'] === 'cancel';
    sendPage(
      res,
      200,
      portalPage({ view, token, language, isCancelling, entered: null }, deps.assets.checkout),
    );
  };
}

interface Ask {
  readonly req: Request;
  readonly token: string;
  readonly merchantId: string;
}
/** @returns where the payer goes on; nothing: to the page */
type Change = (deps: SubscriptionPageDeps, ask: Ask) => Promise<string | null | void>;

/** Runs what a form of the page asks for, unless another site has sent it: its visitor sees the page and decides. */
function change(deps: SubscriptionPageDeps, run: Change): RequestHandler {
  return async (req, res) => {
    const token = readToken(req);
    const { merchantId, locale } = await readPortal(deps, token);
    const language = requestLanguage(req, locale);
    const page = `/s/${token}?lang=${language}`;
    if (isCrossSiteRequest(req, deps.baseUrl)) return res.redirect(303, page);
    await deps.publicLimit(merchantId, clientKey(req));
    try {
      const paymentId = (await run(deps, { req, token, merchantId })) ?? null;
      res.redirect(303, paymentId === null ? page : `/checkout/${paymentId}?lang=${language}`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The subscription changed in the meantime: the page shows how.
      if (error.code === 'INVALID_STATE') return res.redirect(303, page);
      if (error.code !== 'VALIDATION_INVALID' || error.details[0]?.field !== 'email') throw error;
      const scene = { view: await readPortal(deps, token), token, language, isCancelling: false };
      sendPage(res, 400, portalPage({ ...scene, entered: readEmail(req) }, deps.assets.checkout));
    }
  };
}

/** Leads to the checkout of the open invoice, with a new rate where that of its payment has expired. */
async function pay(deps: SubscriptionPageDeps, { req, token }: Ask): Promise<string | null> {
  const paymentId = (await readPortal(deps, token)).due?.paymentId ?? null;
  if (paymentId === null) return null;
  const made = await renewPayment(deps, paymentId, async (id) => deps.publicLimit(id, clientKey(req)));
  if (made?.isNew === true) deps.countOrder({ via: 'renewal', mode: made.mode });
  return made?.paymentId ?? paymentId;
}

async function ahead(deps: SubscriptionPageDeps, { token }: Ask): Promise<string | null> {
  return payAhead(deps, token);
}

async function email(deps: SubscriptionPageDeps, { req, token }: Ask): Promise<void> {
  await changePortalEmail(deps, { token, email: readEmail(req) }, (facts) =>
    subscriptionMail(facts, deps.baseUrl),
  );
}

function readEmail(req: Request): string {
  const value: unknown = Reflect.get(Object(req.body), 'email');
  return typeof value === 'string' ? value.trim() : '';
}

/** For redirects too, whose target contains the token. */
const keepPrivate: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Robots-Tag', 'noindex');
  // The forms send their own origin; no other site receives the address.
  res.setHeader('Referrer-Policy', 'same-origin');
  next();
};

function onError(deps: SubscriptionPageDeps): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const fields = { requestId: readRequestId(res), path: '/s/[token]' };
    const answer = toFailure(deps.logger, clientError(error) ?? error, fields);
    for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
    const kind = answer.status === 404 ? 'notFound' : answer.status === 429 ? 'tooOften' : 'error';
    sendPage(res, answer.status, portalProblemPage(kind, requestLanguage(req), deps.assets.checkout));
  };
}
