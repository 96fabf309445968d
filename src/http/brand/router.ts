import { type Router, type RequestHandler } from 'express';
import { readableAccent } from '../../domain/branding.ts';
import { findLogo } from '../../store/merchants/logos.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { strictRouter } from '../server/strict-router.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Logos and colours of shops, each under a name derived from its content, so that caches keep them
 * indefinitely.
 */
export function brandRouter(deps: { readonly db: Db }): Router {
  const router = strictRouter();
  router.get('/brand/logo/:hash', logo(deps));
  router.get('/brand/:color.css', colours());
  return router;
}

/** Served as an image only, whatever type a browser would detect. */
function logo({ db }: { readonly db: Db }): RequestHandler {
  return async (req, res, next) => {
    const found = await findLogo(db, String(req.params['hash']));
    if (found === undefined) return next();
    res.set({
      'Cache-Control': FOR_EVER,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Content-Type': found.type,
      'X-Content-Type-Options': 'nosniff',
    });
    res.end(found.bytes);
  };
}

/** A style sheet of its own, because the policy of the pages forbids inline styles. */
function colours(): RequestHandler {
  return (req, res, next) => {
    const color = String(req.params['color']);
    if (!/^[0-9a-f]{6}$/.test(color)) return next();
    res
      .set('Cache-Control', FOR_EVER)
      .type('css')
      .send(styleSheet(`#${color}`));
  };
}

function styleSheet(color: string): string {
  const rules = (scheme: 'light' | 'dark'): string => {
    const { accent, ink, soft } = readableAccent(color, scheme);
    return `:root{--accent:${accent};--accent-ink:${ink};--accent-soft:${soft}}`;
  };
  return `@media screen{${rules('light')}@media (prefers-color-scheme:dark){${rules('dark')}}}\n`;
}
