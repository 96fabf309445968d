import type { Response } from 'express';

/** Everything comes from the daemon itself: no inline script or style, no other host, no framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page that no cache keeps. */
export function sendPage(res: Response, status: number, page: string): void {
  res.status(status);
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('Cache-Control', 'no-store');
  res.type('html').send(page);
}
