import type { Router } from 'express';
import { html } from './html.ts';
import { sendPage } from './page-headers.ts';
import type { WebAssets } from './web-assets.ts';
import { strictRouter } from '../server/strict-router.ts';

const NOT_BUILT = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>tilld</title>
    </head>
    <body>
      <p>The dashboard was not built: run npm run build and start the daemon again.</p>
    </body>
  </html>`.toString();

/** One document for every path under /dashboard: its script reads the remainder of the path. */
export function dashboardRouter({ dashboard }: WebAssets): Router {
  const router = strictRouter();
  router.get(['/dashboard', '/dashboard/*path'], (_req, res) =>
    dashboard === null ? sendPage(res, 503, NOT_BUILT) : sendPage(res, 200, dashboard),
  );
  // A page of the dashboard that requires a sign-in; its address is part of the contract with shops.
  router.get('/connect', (req, res) => {
    const { search } = new URL(req.originalUrl, 'http://localhost');
    res.setHeader('Cache-Control', 'no-store');
    res.redirect(302, `/dashboard/connect${search}`);
  });
  router.get('/', (_req, res) => res.redirect(302, '/dashboard'));
  return router;
}
