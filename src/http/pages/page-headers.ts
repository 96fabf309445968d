import type { Response } from 'express';
import { placePage } from '../server/base-path.ts';
import { sendText } from '../server/send-text.ts';

/** All resources come from the daemon itself: no inline script or style, no other host. */
const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
];

/**
 * Sends a page that no cache stores.
 * @param ancestors origins of sites that may show it in a frame; none by default
 * @param directives of its content security policy, in addition to those of every page
 */
export function sendPage(
  res: Response,
  status: number,
  page: string,
  ancestors: readonly string[] = [],
  directives: readonly string[] = [],
): void {
  res.status(status);
  const framing = ancestors.length === 0 ? "'none'" : ancestors.join(' ');
  res.setHeader(
    'Content-Security-Policy',
    [...PAGE_CSP, ...directives, `frame-ancestors ${framing}`].join('; '),
  );
  // It cannot name another site.
  if (ancestors.length > 0) res.removeHeader('X-Frame-Options');
  res.setHeader('Cache-Control', 'no-store');
  res.type('html');
  sendText(res, placePage(res, page));
}
