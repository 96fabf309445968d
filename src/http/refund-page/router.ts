import { setTimeout as sleep } from 'node:timers/promises';
import express, {
  Router,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { z } from 'zod';
import { asCoin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { Language } from '../../i18n/languages.ts';
import {
  type ClaimLinkDeps,
  claimRefundLink,
  previewClaim,
  readPayerLink,
} from '../../usecases/refunds/index.ts';
import { negotiateLanguage, createTranslator } from '../checkout/negotiate-language.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { clientError } from '../server/client-error.ts';
import { clientKey } from '../server/client-key.ts';
import { toFailure } from '../server/dispatch.ts';
import type { PublicLimit } from '../server/public-limit.ts';
import { createPageRateLimit } from '../server/page-limit.ts';
import { readRequestId } from '../server/request-id.ts';
import { refundPage, refundProblemPage } from './document.ts';
import { describeMistake } from './describe-mistake.ts';
import type { RefundPageModel } from './page-model.ts';
import { strictRouter } from '../server/strict-router.ts';

export interface RefundPageDeps extends ClaimLinkDeps {
  readonly assets: WebAssets;
  /** Counts claims of a client address. */
  readonly claimLimit: PublicLimit;
  /** Sends claimed refunds; resolves after the attempt. */
  readonly sendClaims: () => Promise<void>;
}

const READS_PER_MINUTE = 600;
const FORM_LIMIT_BYTES = 2_048;
/** Longest wait of a claim's response, whether it was sent or not. */
const SENT_WITHIN_MS = 3_000;
const TOKEN = /^[0-9A-Za-z]{43}$/;

/**
 * The page on which a payer claims a refund. Everyone who has the link may do so, so its token is never
 * logged.
 */
export function refundPageRouter(deps: RefundPageDeps): Router {
  const router = strictRouter();
  router.use(
    '/r',
    createPageRateLimit(READS_PER_MINUTE, (req, res) =>
      send(res, 429, refundProblemPage('tooOften', requestLanguage(req), deps.assets.checkout)),
    ),
  );
  router.get('/r/:token', show(deps));
  router.post('/r/:token', express.urlencoded({ extended: false, limit: FORM_LIMIT_BYTES }), take(deps));
  router.use('/r', onError(deps));
  return router;
}

function requestLanguage(req: Request): Language {
  return negotiateLanguage(req.query['lang'], req.acceptsLanguages());
}

function readToken(req: Request): string {
  const token = String(req.params['token']);
  if (TOKEN.test(token)) return token;
  throw new AppError('LINK_NOT_FOUND', 'No such refund link');
}

async function loadScene(deps: RefundPageDeps, req: Request): Promise<RefundPageModel> {
  const language = requestLanguage(req);
  const link = await readPayerLink({ ...deps, now: deps.clock.now() }, readToken(req));
  return { link, language, say: createTranslator(language) };
}

function show(deps: RefundPageDeps): RequestHandler {
  return async (req, res) => send(res, 200, refundPage(await loadScene(deps, req), deps.assets.checkout));
}

const text = (max: number) => z.string().trim().max(max).catch('');
const claimForm = z
  .object({
    step: z.enum(['check', 'edit', 'claim']).catch('check'),
    coin: text(10),
    destination: text(200),
  })
  .catch({ step: 'check', coin: '', destination: '' });

/** Validates the input, and claims once it was confirmed. */
function take(deps: RefundPageDeps): RequestHandler {
  return async (req, res) => {
    const token = readToken(req);
    await deps.claimLimit('refund-link', clientKey(req));
    const { step, ...entered } = claimForm.parse(req.body ?? {});
    const coin = asCoin(entered.coin);
    const answer = (status: number, scene: RefundPageModel): void =>
      send(res, status, refundPage(scene, deps.assets.checkout));
    try {
      const scene = await loadScene(deps, req);
      if (step === 'edit') return answer(200, { ...scene, entered });
      if (coin === null) throw new AppError('VALIDATION_INVALID', 'coin', { details: [COIN_MISSING] });
      const terms = { token, coin, destination: entered.destination };
      if (step === 'claim') return await claim(deps, req, res, terms);
      const option = scene.link.options.find((each) => each.coin === coin);
      const preview = await previewClaim(deps, terms);
      if (option === undefined) throw new AppError('INVALID_STATE', 'the refund changed in the meantime');
      return answer(200, { ...scene, entered, confirm: { option, preview } });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const scene = await loadScene(deps, req);
      const { say } = scene;
      if (error.code === 'INVALID_STATE') return answer(409, { ...scene, notice: say('refundTaken') });
      const mistake = describeMistake(deps.chains, error, {
        say,
        coin,
        mode: scene.link.sandbox ? 'sandbox' : 'live',
        destination: entered.destination,
      });
      if (mistake === null) throw error;
      return answer(mistake.status, { ...scene, entered, mistake });
    }
  };
}

const COIN_MISSING = { field: 'coin', code: 'required', message: 'is required' };

/** A form that was submitted twice is redirected to the same page. */
async function claim(
  deps: RefundPageDeps,
  req: Request,
  res: Response,
  terms: Parameters<typeof claimRefundLink>[1],
): Promise<void> {
  await claimRefundLink(deps, terms);
  await Promise.race([deps.sendClaims(), sleep(SENT_WITHIN_MS, undefined, { ref: false })]);
  res.redirect(303, `/r/${terms.token}?lang=${requestLanguage(req)}`);
}

function send(res: Response, status: number, page: string): void {
  res.setHeader('X-Robots-Tag', 'noindex');
  sendPage(res, status, page);
}

function onError(deps: RefundPageDeps): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const answer = toFailure(deps.logger, clientError(error) ?? error, {
      requestId: readRequestId(res),
      path: '/r/[token]',
    });
    for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
    const kind = answer.status === 404 ? 'notFound' : answer.status === 429 ? 'tooOften' : 'error';
    send(res, answer.status, refundProblemPage(kind, requestLanguage(req), deps.assets.checkout));
  };
}
