import express, { type Router, type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import { COINS, type Mode } from '../../domain/coins.ts';
import { minorUnitDigits } from '../../domain/currencies.ts';
import { AppError } from '../../domain/errors.ts';
import type { LinkKind } from '../../domain/payment-link.ts';
import type { Logger } from '../../domain/ports.ts';
import { parseTypedAmount } from '../../domain/typed-amount.ts';
import type { Language } from '../../i18n/languages.ts';
import { toLatinDigits } from '../../i18n/latin-digits.ts';
import { type LinkView, payLink, readLink, subscribeByLink } from '../../usecases/links/index.ts';
import { renewPayment } from '../../usecases/checkout/index.ts';
import type { SubscriptionDeps } from '../../usecases/subscriptions/index.ts';
import { problemPage } from '../checkout/document.ts';
import { negotiateLanguage } from '../checkout/negotiate-language.ts';
import { allowCompression } from '../server/send-text.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { clientError } from '../server/client-error.ts';
import { clientKey } from '../server/client-key.ts';
import { toFailure } from '../server/dispatch.ts';
import { isCrossSiteRequest } from '../server/csrf.ts';
import type { PublicLimit } from '../server/public-limit.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import type { CountOrder } from '../server/order-counter.ts';
import { closedPage, linkPage, numberSymbols, type Filled, type Obstacle } from './page.ts';
import { speakLink } from './texts.ts';
import { strictRouter } from '../server/strict-router.ts';

export interface LinkPagesDeps extends SubscriptionDeps {
  readonly logger: Logger;
  readonly assets: WebAssets;
  /** Limits public requests, as for public keys. */
  readonly publicLimit: PublicLimit;
  readonly countOrder: CountOrder;
}

const READS_PER_MINUTE = 600;
const FORM_LIMIT_BYTES = 8_192;
const PATHS: Readonly<Record<LinkKind, string>> = { link: '/l/:slug', pos: '/pos/:slug' };
const RENEWAL = '/checkout/:paymentId/renew';
const NOTHING: Filled = { values: { amount: '', email: '', name: '', note: '' }, problems: {} };

/**
 * The pages of payment links and counters, and renewals. A GET creates nothing; submitting the form creates a
 * payment.
 */
export function linksRouter(deps: LinkPagesDeps): Router {
  const router = strictRouter();
  const readForm = express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES });
  for (const kind of ['link', 'pos'] as const) {
    router.use(PATHS[kind], createPageRateLimit(READS_PER_MINUTE));
    router.get(PATHS[kind], show(deps, kind));
    router.post(PATHS[kind], readForm, pay(deps, kind));
    router.use(PATHS[kind], onError(deps, 'link'));
  }
  router.post(RENEWAL, createPageRateLimit(READS_PER_MINUTE), renew(deps));
  router.use(RENEWAL, onError(deps, 'payment'));
  return router;
}

function requestLanguage(req: Request): Language {
  return negotiateLanguage(req.query['lang'], req.acceptsLanguages());
}

function readEmbedder(req: Request, link: LinkView): string | null {
  return link.embedOrigins.find((origin) => origin === req.query['embed']) ?? null;
}

/** Sends the link's page, or a page that it is closed; returns the link if it is payable. */
function show(deps: LinkPagesDeps, kind: LinkKind): RequestHandler {
  return async (req, res) => {
    const link = await readLink(deps.db, { slug: String(req.params['slug']), kind });
    if ('closed' in link) {
      sendPage(res, 410, closedPage(link.merchant, requestLanguage(req), deps.assets.checkout));
      return;
    }
    sendForm(deps, req, res, link, NOTHING);
  };
}

function sendForm(
  deps: LinkPagesDeps,
  req: Request,
  res: express.Response,
  link: LinkView,
  filled: Filled,
): void {
  const mode: Mode = link.merchant.sandbox ? 'sandbox' : 'live';
  const coins = COINS.filter((coin) => deps.chains.get(coin, mode) !== null);
  const page = linkPage(
    { link, language: requestLanguage(req), embedder: readEmbedder(req, link), filled, coins },
    deps.assets.checkout,
  );
  // The form sends its own origin; no other site receives the address.
  res.setHeader('Referrer-Policy', 'same-origin');
  allowCompression(res);
  const hasProblem = Object.keys(filled.problems).length > 0;
  const status = filled.obstacle !== undefined ? 503 : hasProblem ? 400 : 200;
  sendPage(res, status, page, link.embedOrigins);
}

/** Creates the payment and redirects to its checkout, or shows the form again with its errors. */
function pay(deps: LinkPagesDeps, kind: LinkKind): RequestHandler {
  return async (req, res) => {
    const link = await readLink(deps.db, { slug: String(req.params['slug']), kind });
    if ('closed' in link) {
      sendPage(res, 410, closedPage(link.merchant, requestLanguage(req), deps.assets.checkout));
      return;
    }
    // Another site must not make visitors create payments unknowingly: they get the form and decide.
    if (isCrossSiteRequest(req, deps.baseUrl)) {
      res.redirect(303, `/${kind === 'pos' ? 'pos' : 'l'}/${link.slug}`);
      return;
    }
    await deps.publicLimit(link.merchant.id, clientKey(req));
    const language = requestLanguage(req);
    const values = readFields(req.body);
    const answers = { ...values, amount: parseAmount(link, values.amount, language) };
    const { recurring } = link;
    const made = await unlessImpossible(async () =>
      recurring === null
        ? payLink(deps, link, answers, language)
        : subscribeByLink(deps, { ...link, recurring }, answers, language),
    );
    if (typeof made === 'string') {
      sendForm(deps, req, res, link, { values, problems: {}, obstacle: made });
      return;
    }
    if ('problems' in made) {
      sendForm(deps, req, res, link, { values, problems: made.problems });
      return;
    }
    deps.countOrder({ via: 'link', mode: link.merchant.sandbox ? 'sandbox' : 'live' });
    const embed = readEmbedder(req, link);
    const query = new URLSearchParams({ lang: language, ...(embed === null ? {} : { embed }) });
    res.redirect(303, `/checkout/${made.paymentId}?${query}`);
  };
}

async function unlessImpossible<T>(make: () => Promise<T>): Promise<T | Obstacle> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_UNAVAILABLE') return 'unpriced';
    if (error instanceof AppError && error.code === 'COIN_UNAVAILABLE') return 'noCoin';
    throw error;
  }
}

/** Renews an expired payment and redirects to the new one, or back to its own page if that is impossible. */
function renew(deps: LinkPagesDeps): RequestHandler {
  return async (req, res) => {
    const paymentId = String(req.params['paymentId']);
    const limit = async (merchantId: string): Promise<void> => deps.publicLimit(merchantId, clientKey(req));
    const made = isCrossSiteRequest(req, deps.baseUrl) ? null : await renewPayment(deps, paymentId, limit);
    if (made?.isNew === true) deps.countOrder({ via: 'renewal', mode: made.mode });
    const { lang, embed } = req.query;
    const query = new URLSearchParams({
      ...(typeof lang === 'string' ? { lang } : {}),
      ...(typeof embed === 'string' ? { embed } : {}),
    });
    res.redirect(303, `/checkout/${encodeURIComponent(made?.paymentId ?? paymentId)}?${query}`);
  };
}

/** A suggested amount as is, otherwise a number in the format of the language. */
function parseAmount({ open, currency }: LinkView, typed: string, language: Language): string | null {
  if (open?.suggested?.includes(typed) === true) return typed;
  return parseTypedAmount(toLatinDigits(typed), numberSymbols(language), minorUnitDigits(currency));
}

function readFields(body: unknown): Filled['values'] {
  const read = (name: string): string => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
    return typeof value === 'string' ? value.trim() : '';
  };
  const suggested = read('suggested');
  const amount = suggested === '' ? read('amount') : suggested;
  return { amount, email: read('email'), name: read('name'), note: read('note') };
}

/** @param page of a link, where nothing can have been paid, or of a payment */
function onError(deps: LinkPagesDeps, page: 'link' | 'payment'): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const context = { requestId: readRequestId(res), path: req.baseUrl + req.path };
    const { status, headers } = toFailure(deps.logger, clientError(error) ?? error, context);
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    const isCoinless = error instanceof AppError && error.code === 'COIN_UNAVAILABLE';
    const kind = status === 404 ? 'notFound' : isCoinless ? 'noCoin' : 'error';
    const language = requestLanguage(req);
    const advice = page === 'link' && kind === 'error' ? speakLink(language).say('errorText') : undefined;
    sendPage(res, status, problemPage(kind, language, deps.assets.checkout, advice));
  };
}
