import type { Request, Response, Router } from 'express';
import type { Language } from '../../i18n/languages.ts';
import { negotiateLanguage } from '../checkout/negotiate-language.ts';
import { sendPage } from '../pages/page-headers.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { ConstantText } from '../server/constant-text.ts';
import { allowCompression, sendText } from '../server/send-text.ts';
import { strictRouter } from '../server/strict-router.ts';
import { counterManifest, counterPage } from './page.ts';

const DAY_MS = 86_400_000;
const ICONS = ['icon-192.png', 'icon-512.png'] as const;
/** The app installs a manifest and a worker, both from this server. */
const APP_CSP = ["manifest-src 'self'", "worker-src 'self'"];

/** A worker has a policy of its own: that of its script. */
const WORKER_CSP = "default-src 'none'; connect-src 'self'";

/** The page of counters as an installable app. It is the same for everyone; its script has the token of the device. */
export function counterRouter({ counter, directory }: Pick<WebAssets, 'counter' | 'directory'>): Router {
  const router = strictRouter();
  if (counter === null) return router;
  router.get('/counter', (_req, res) => res.redirect(302, '/counter/app'));
  router.get('/counter/app', (req, res) => {
    allowCompression(res);
    sendPage(res, 200, counterPage(requestLanguage(req), counter), [], APP_CSP);
  });
  router.get('/counter/manifest.webmanifest', (req, res) => {
    res.set('Cache-Control', 'no-cache');
    sendText(res.type('application/manifest+json'), counterManifest(requestLanguage(req)));
  });
  const worker = new ConstantText(counter.worker);
  router.get('/counter/worker.js', async (_req, res: Response) => {
    res.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': WORKER_CSP });
    await worker.send(res.type('text/javascript'));
  });
  for (const icon of ICONS)
    router.get(`/counter/${icon}`, (_req, res, next) => {
      res.sendFile(`counter-${icon}`, { root: directory, maxAge: DAY_MS }, (error?: Error) => {
        if (error !== undefined && !res.headersSent) next();
      });
    });
  return router;
}

function requestLanguage(req: Request): Language {
  return negotiateLanguage(req.query['lang'], req.acceptsLanguages());
}
