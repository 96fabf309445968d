import type { Request } from 'express';

/**
 * Whether another site made the browser send a form, by the browser's own headers. Other programs send
 * neither header and are rate limited anyway.
 */
export function isCrossSite(req: Request, baseUrl: string): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.get('Origin');
  if (origin === undefined) return false;
  return origin !== new URL(baseUrl).origin && URL.parse(origin)?.host !== req.get('Host');
}
