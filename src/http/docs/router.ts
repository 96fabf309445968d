import { type Router, type Response } from 'express';
import type { OpenApiDocument } from '../openapi/types.ts';
import { renderDocs, STYLE_PATH } from './page.ts';
import { STYLE } from './style.ts';
import { placePage } from '../server/base-path.ts';
import { strictRouter } from '../server/strict-router.ts';

/** The page loads only its own style sheet and script from this daemon: nothing inline, no other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference for people at /docs. @param script path of its script, null without a build */
export function docsRouter(readDocument: () => OpenApiDocument, script: string | null): Router {
  let page: string | null = null;
  const router = strictRouter();
  router.get('/docs', (_req, res) => {
    page ??= renderDocs(readDocument(), script);
    res.setHeader('Content-Security-Policy', POLICY);
    send(res, 'html', placePage(res, page));
  });
  router.get(STYLE_PATH, (_req, res) => send(res, 'css', STYLE));
  return router;
}

function send(res: Response, type: string, text: string): void {
  // Both change only with a new version of the daemon.
  res.setHeader('Cache-Control', 'no-cache');
  res.type(type).send(text);
}
