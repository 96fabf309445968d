import { type Router, type Response } from 'express';
import type { OpenApiDocument } from '../openapi/types.ts';
import { renderDocs, STYLE_PATH } from './page.ts';
import { STYLE } from './style.ts';
import { placePage } from '../server/base-path.ts';
import { ConstantText } from '../server/constant-text.ts';
import { strictRouter } from '../server/strict-router.ts';

/** The page loads only its own style sheet and script from this daemon: nothing inline, no other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference for people at /docs. @param script path of its script, null without a build */
export function docsRouter(readDocument: () => OpenApiDocument, script: string | null): Router {
  let page: ConstantText | null = null;
  const style = new ConstantText(STYLE);
  const router = strictRouter();
  router.get('/docs', async (_req, res) => {
    page ??= new ConstantText(placePage(res, renderDocs(readDocument(), script)));
    res.setHeader('Content-Security-Policy', POLICY);
    await send(res, 'html', page);
  });
  router.get(STYLE_PATH, async (_req, res) => send(res, 'css', style));
  return router;
}

async function send(res: Response, type: string, text: ConstantText): Promise<void> {
  // Both change only with a new version of the daemon.
  res.setHeader('Cache-Control', 'no-cache');
  await text.send(res.type(type));
}
